// Well-known networks in their published shapes. Each function returns a builder; the caller sets
// seed and updater. Build() of the builder reports a task that the network cannot have.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "nn/conf/sequential.h"

namespace dl::nn::zoo {

// The input of a network, and the form of its predictions: one of several classes, or several
// numbers. Autoencoder and Vae predict their input and use only `input`.
struct Task {
  InputType input;
  int64_t classes = 0;
  // Number of values to predict; above 0, `classes` is not used. Networks that cannot predict
  // numbers (ZooModel::predicts_numbers) ignore it.
  int64_t targets = 0;
};

// LeCun et al., Proc. IEEE 86 (1998), in the form of PyTorch's tutorials: 6 and 16 maps, ReLU,
// max-pooling, dense layers of 120 and 84. 62,006 parameters for 3 x 32 x 32 and 10 classes.
Sequential LeNet5(const Task& task);
// The wider variant from Caffe: 20 and 50 maps, tanh, a dense layer of 500. 431,080 parameters for
// 1 x 28 x 28 and 10 classes.
Sequential LeNetA(const Task& task);
// Two hidden dense layers of 1,000 units with ReLU. 1,796,010 parameters for 784 features and 10
// classes.
Sequential Mlp(const Task& task);
// Krizhevsky, Sutskever, Hinton, NIPS 2012: widths 96, 256, 384, 384, 256 on one device, without
// response normalization. 62,378,344 parameters for 3 x 224 x 224 and 1,000 classes.
Sequential AlexNet(const Task& task);
// Simonyan, Zisserman, ICLR 2015, configuration D: 138,357,544 parameters for 3 x 224 x 224 and
// 1,000 classes. For images of up to 64 x 64 the classifier is one dense layer of 512.
Sequential Vgg16(const Task& task);
// He, Zhang, Ren, Sun, CVPR 2016. A bottleneck has its stride in the 3 x 3 convolution. For 3 x 224
// x 224 and 1,000 classes ResNet18 has 11,689,512 parameters and ResNet50 has 25,557,032. For
// images of up to 64 x 64 the first layer is the paper's layer for CIFAR-10: 3 x 3, stride 1, no
// pooling.
Sequential ResNet18(const Task& task);
Sequential ResNet50(const Task& task);
// Howard et al., arXiv:1704.04861, width 1: 4,231,976 parameters for 3 x 224 x 224 and 1,000
// classes. For images of up to 64 x 64 the first convolution has stride 1.
Sequential MobileNet(const Task& task);

// Two LSTM layers with 200 units each after an embedding of 200: the small model of Zaremba,
// Sutskever, Vinyals, arXiv:1409.2329, section 4.1. 673,680 parameters for 80 characters, 4,651,600
// for 10,000 words. As in the paper the layers are stateful: examples continue from the states of
// earlier examples.
Sequential CharLstm(const Task& task);
Sequential WordLstm(const Task& task);
// Radford et al., "Language models are unsupervised multitask learners", 2019, section 2.3, in a
// small size: 4 blocks of width 256 with 4 heads. A layer normalization precedes each attention and
// each feed-forward part of a block. 3,233,280 parameters for 80 characters in windows of 128.
Sequential Gpt(const Task& task);

// Devlin et al., NAACL 2019, section 3, without next sentence prediction and without tying the
// output's weights to the embedding. The size is "mini" of Turc et al., arXiv:1908.08962: 4 blocks
// of width 256 with 4 heads. A layer normalization follows each attention and each feed-forward
// part of a block. 18,916,410 parameters for 30,522 words in windows of 128. Predicts masked words.
Sequential Bert(const Task& task);

// Ronneberger, Fischer, Brox, MICCAI 2015, with padding, so that every input pixel gets a class.
// 31,030,658 parameters for one channel and two classes, as published. Height and width must be
// multiples of 16.
Sequential UNet(const Task& task);

// Hinton, Salakhutdinov, Science 313, 2006, figure 4: 1000-500-250-30 and back, with ReLU and
// without layerwise pretraining. 2,837,314 parameters for 784 values from 0 to 1.
Sequential Autoencoder(const Task& task);
// Kingma, Welling, ICLR 2014, section 5: 500 hidden units, a code of 20. The loss is the negative
// of the paper's bound, divided by the number of input values. 815,824 parameters for 784 values
// from 0 to 1.
Sequential Vae(const Task& task);

// How a model of the zoo reads its data if the job names only a file. kExamples: the file has
// examples. kCharacters, kWords: the file is a text of characters or words. kMaskedWords: the file
// is a text of words, and the model predicts hidden words.
enum class Reads : uint8_t { kExamples, kCharacters, kWords, kMaskedWords };

// Initial rate of Adam's cosine schedule for networks that predict numbers.
inline constexpr double kRegressionRate = 0.001;

struct ZooModel {
  std::string_view name;  // "resnet18"; must never change
  Task published;         // the task for which `parameters` is counted
  int64_t parameters = 0;
  // Initial rate of the cosine schedule if a job states no updater, for minibatches of 64 to 128.
  // The updater is Nesterov with momentum 0.9 if the network predicts one class for each example,
  // otherwise Adam. If the network predicts numbers (targets), the rate is kRegressionRate instead.
  double learning_rate = 0;
  Sequential (*make)(const Task& task);  // the function above that builds the network
  Reads reads = Reads::kExamples;
  bool predicts_numbers = false;  // whether `make` also builds networks for tasks with targets
  // Largest L2 norm of the gradient if the updater is Nesterov. 0: the limit that `make` sets, or
  // no limit if it sets none. lenet5 has a limit because its first steps are too large for some
  // seeds. Without a limit, a network with such a seed learns nothing from a small number of
  // images.
  double clip_norm = 0;
};

// Returns all models, ordered by name. Thread-safe.
std::span<const ZooModel> ZooModels();
// Returns the model with this name, or nullptr if it does not exist. Thread-safe.
const ZooModel* FindZooModel(std::string_view name);

}  // namespace dl::nn::zoo
