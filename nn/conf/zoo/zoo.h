// Networks that the field knows by name, in their published shapes. Each is a builder to go on
// with: seed and updater are the caller's.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "nn/conf/sequential.h"

namespace dl::nn::zoo {

// A network for a task reads an input and predicts one of some classes, or some numbers.
struct Task {
  InputType input;
  int64_t classes = 0;
  int64_t targets = 0;  // numbers of an example; above 0 there are no classes
};

// LeCun et al., Proc. IEEE 86 (1998), as PyTorch's tutorials have it: 6 and 16 maps, ReLU,
// max-pooling, dense layers of 120 and 84. 62,006 parameters for 3 x 32 x 32 and 10 classes.
Sequential LeNet5(const Task& task);
// The wider one that Caffe made common: 20 and 50 maps, tanh, a dense layer of 500. 431,080
// parameters for 1 x 28 x 28 and 10 classes.
Sequential LeNetA(const Task& task);
// Two hidden layers of 1,000, ReLU: 1,796,010 parameters for 784 features and 10 classes.
Sequential Mlp(const Task& task);
// Krizhevsky, Sutskever, Hinton, NIPS 2012: widths 96, 256, 384, 384, 256 on one device, without
// response normalization. 62,378,344 parameters for 3 x 224 x 224 and 1,000 classes.
Sequential AlexNet(const Task& task);
// Simonyan, Zisserman, ICLR 2015, configuration D: 138,357,544 parameters for 3 x 224 x 224 and
// 1,000 classes. Of images of up to 64 x 64 the classifier is one dense layer of 512.
Sequential Vgg16(const Task& task);
// He, Zhang, Ren, Sun, CVPR 2016, stride in the 3 x 3 convolution of a bottleneck: 11,689,512 and
// 25,557,032 parameters for 1,000 classes. Images of up to 64 x 64 get the paper's stem for
// CIFAR-10, 3 x 3 with stride 1 and no pooling, in place of that for ImageNet.
Sequential ResNet18(const Task& task);
Sequential ResNet50(const Task& task);
// Howard et al., arXiv:1704.04861, width 1: 4,231,976 parameters for 3 x 224 x 224 and 1,000
// classes. Of images of up to 64 x 64 the first convolution has stride 1.
Sequential MobileNet(const Task& task);

// Two layers of long short-term memory with 200 units each on top of an embedding of 200, the shape
// of the small model of Zaremba, Sutskever, Vinyals, arXiv:1409.2329, section 4.1: of characters
// 673,680 parameters for 80 of them, of words 4,651,600 for 10,000. Both are stateful, as there:
// examples go on from the state of the ones before them.
Sequential CharLstm(const Task& task);
Sequential WordLstm(const Task& task);
// Radford et al., "Language models are unsupervised multitask learners", 2019, section 2.3, small:
// 4 blocks of 256 with 4 heads, normalization in front of each half of a block. 3,233,280
// parameters for 80 characters in windows of 128.
Sequential Gpt(const Task& task);

// Devlin et al., NAACL 2019, section 3, without the task of the next sentence and without tying the
// output's weights to the embedding's; in the size that Turc et al., arXiv:1908.08962, call mini:
// 4 blocks of 256 with 4 heads, normalization behind each half of a block. 18,916,410 parameters
// for 30,522 words in windows of 128. It says of masked words which they are.
Sequential Bert(const Task& task);

// Ronneberger, Fischer, Brox, MICCAI 2015, with padding, so that there is a class for each pixel
// that was read: 31,030,658 parameters for one channel and two classes, as published. Height and
// width are multiples of 16.
Sequential UNet(const Task& task);

// Hinton, Salakhutdinov, Science 313, 2006, figure 4: 1000-500-250-30 and back, trained as a whole,
// with rectifiers. 2,837,314 parameters for 784 values from 0 to 1.
Sequential Autoencoder(const Task& task);
// Kingma, Welling, ICLR 2014, section 5: 500 hidden units, a code of 20. Its loss is the paper's
// bound, negative, for each value that is read. 815,824 parameters for 784 values from 0 to 1.
Sequential Vae(const Task& task);

// What a model of the zoo reads where a file is all that is said: examples as they lie, or a text.
enum class Reads : uint8_t { kExamples, kCharacters, kWords, kMaskedWords };

// The rate that Adam's cosine begins with where a network predicts numbers.
inline constexpr double kRegressionRate = 0.001;

struct ZooModel {
  std::string_view name;  // "resnet18", forever
  Task published;         // the task that the parameters are counted for
  int64_t parameters = 0;
  // Where a job says no other updater: the rate that its cosine begins with, at minibatches of 64
  // to 128, of Nesterov's with momentum 0.9 for classes of images and tables, else of Adam.
  double learning_rate = 0;
  Sequential (*make)(const Task& task);
  Reads reads = Reads::kExamples;
  bool predicts_numbers = false;  // for a task that has targets
};

// All of them, by name.
std::span<const ZooModel> ZooModels();
const ZooModel* FindZooModel(std::string_view name);  // nullptr when unknown

}  // namespace dl::nn::zoo
