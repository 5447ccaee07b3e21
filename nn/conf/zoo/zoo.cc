#include "nn/conf/zoo/zoo.h"

namespace dl::nn::zoo {

std::span<const ZooModel> ZooModels() {
  static const Task kImageNet{Image(3, 224, 224), 1000};
  static const ZooModel kModels[] = {
      {"alexnet", kImageNet, 62'378'344, 0.01, &AlexNet, Reads::kExamples, true},
      {"autoencoder", {FeedForward(784), 10}, 2'837'314, 0.001, &Autoencoder},
      {"bert", {Sequence(128, 1), 30'522}, 18'916'410, 0.001, &Bert, Reads::kMaskedWords},
      {"char_lstm", {Sequence(50, 1), 80}, 673'680, 0.003, &CharLstm, Reads::kCharacters},
      {"gpt", {Sequence(128, 1), 80}, 3'233'280, 0.001, &Gpt, Reads::kCharacters},
      {"lenet5", {Image(3, 32, 32), 10}, 62'006, 0.05, &LeNet5, Reads::kExamples, true, 1},
      {"lenet_a", {Image(1, 28, 28), 10}, 431'080, 0.05, &LeNetA, Reads::kExamples, true},
      {"mlp", {FeedForward(784), 10}, 1'796'010, 0.05, &Mlp, Reads::kExamples, true},
      {"mobilenet", kImageNet, 4'231'976, 0.05, &MobileNet, Reads::kExamples, true},
      {"resnet18", kImageNet, 11'689'512, 0.05, &ResNet18, Reads::kExamples, true},
      {"resnet50", kImageNet, 25'557'032, 0.05, &ResNet50, Reads::kExamples, true},
      {"unet", {Image(1, 512, 512), 2}, 31'030'658, 0.001, &UNet},
      {"vae", {FeedForward(784), 10}, 815'824, 0.001, &Vae},
      {"vgg16", kImageNet, 138'357'544, 0.01, &Vgg16, Reads::kExamples, true},
      {"word_lstm", {Sequence(30, 1), 10'000}, 4'651'600, 0.002, &WordLstm, Reads::kWords},
  };
  return kModels;
}

const ZooModel* FindZooModel(std::string_view name) {
  for (const ZooModel& model : ZooModels()) {
    if (model.name == name) return &model;
  }
  return nullptr;
}

}  // namespace dl::nn::zoo
