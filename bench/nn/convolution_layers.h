// The convolutions of well-known networks, on which kernels are compared.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "nn/backend/compute_scope.h"
#include "nn/backend/convolution_primitive.h"
#include "nn/kernel_contract.h"

namespace dl::bench {

struct ConvolutionLayer {
  const char* name;
  int64_t in_channels, out_channels, image, kernel, stride, pad;
};

// resnet-32 and resnet50-32: ResNet-18 and ResNet-50 in their form for ImageNet, but with images of
// 32 x 32. resnet-cifar and resnet50-cifar: the same networks in their form for small images.
inline constexpr ConvolutionLayer kConvolutionLayers[] = {
    {"lenet_a", 1, 20, 28, 5, 1, 0},
    {"lenet_a", 20, 50, 12, 5, 1, 0},
    {"lenet5", 3, 6, 32, 5, 1, 0},
    {"lenet5", 6, 16, 14, 5, 1, 0},
    {"resnet-32", 3, 64, 32, 7, 2, 3},
    {"resnet-32", 64, 64, 8, 3, 1, 1},
    {"resnet-32", 64, 128, 8, 3, 2, 1},
    {"resnet-32", 64, 128, 8, 1, 2, 0},
    {"resnet-32", 128, 128, 4, 3, 1, 1},
    {"resnet-32", 128, 256, 4, 3, 2, 1},
    {"resnet-32", 128, 256, 4, 1, 2, 0},
    {"resnet-32", 256, 256, 2, 3, 1, 1},
    {"resnet-32", 256, 512, 2, 3, 2, 1},
    {"resnet-32", 256, 512, 2, 1, 2, 0},
    {"resnet-32", 512, 512, 1, 3, 1, 1},
    {"resnet50-32", 64, 256, 8, 1, 1, 0},
    {"resnet50-32", 256, 64, 8, 1, 1, 0},
    {"resnet50-32", 128, 512, 4, 1, 1, 0},
    {"resnet50-32", 256, 512, 8, 1, 2, 0},
    {"resnet50-32", 512, 256, 4, 1, 1, 0},
    {"resnet50-32", 256, 1024, 2, 1, 1, 0},
    {"resnet50-32", 512, 1024, 4, 1, 2, 0},
    {"resnet50-32", 512, 2048, 1, 1, 1, 0},
    {"resnet50-32", 1024, 2048, 2, 1, 2, 0},
    {"resnet50-32", 512, 512, 2, 3, 2, 1},
    {"resnet50-32", 512, 128, 4, 1, 1, 0},
    {"resnet50-32", 1024, 256, 2, 1, 1, 0},
    {"resnet50-32", 2048, 512, 1, 1, 1, 0},
    {"resnet-cifar", 3, 64, 32, 3, 1, 1},
    {"resnet-cifar", 64, 64, 32, 3, 1, 1},
    {"resnet-cifar", 64, 128, 32, 3, 2, 1},
    {"resnet-cifar", 64, 128, 32, 1, 2, 0},
    {"resnet-cifar", 128, 128, 16, 3, 1, 1},
    {"resnet-cifar", 128, 256, 16, 3, 2, 1},
    {"resnet-cifar", 256, 256, 8, 3, 1, 1},
    {"resnet-cifar", 256, 512, 8, 3, 2, 1},
    {"resnet-cifar", 512, 512, 4, 3, 1, 1},
    {"resnet50-cifar", 64, 256, 32, 1, 1, 0},
    {"resnet50-cifar", 256, 64, 32, 1, 1, 0},
    {"resnet50-cifar", 128, 512, 16, 1, 1, 0},
    {"resnet50-cifar", 256, 1024, 8, 1, 1, 0},
    {"resnet50-cifar", 1024, 256, 8, 1, 1, 0},
    {"resnet50-cifar", 512, 2048, 4, 1, 1, 0},
    {"resnet50-cifar", 2048, 512, 4, 1, 1, 0},
    {"vgg16", 64, 128, 16, 3, 1, 1},
    {"vgg16", 128, 256, 8, 3, 1, 1},
    {"vgg16", 256, 512, 4, 3, 1, 1},
    {"vgg16", 512, 512, 2, 3, 1, 1},
    {"alexnet", 96, 256, 27, 5, 1, 2},
    {"alexnet", 256, 384, 13, 3, 1, 1},
    {"unet", 1, 64, 64, 3, 1, 1},
    {"unet", 128, 128, 64, 3, 1, 1},
    {"unet", 512, 512, 16, 3, 1, 1},
    {"unet", 512, 1024, 8, 3, 1, 1},
    {"unet", 1024, 512, 16, 3, 1, 1},
    {"mobilenet", 64, 128, 8, 1, 1, 0},
    {"mobilenet", 128, 128, 8, 1, 1, 0},
    {"mobilenet", 256, 256, 4, 1, 1, 0},
    {"mobilenet", 512, 512, 2, 1, 1, 0},
    {"mobilenet", 512, 1024, 1, 1, 1, 0},
    {"mobilenet", 1024, 1024, 1, 1, 1, 0},
    {"small", 16, 16, 32, 3, 1, 1},
    {"small", 32, 32, 16, 3, 1, 1},
    {"small", 4, 8, 14, 3, 1, 1},
    {"small", 2, 32, 28, 3, 1, 1},
};

inline nn::ConvolutionGeometry GeometryOf(const ConvolutionLayer& l, int64_t batch) {
  const int64_t out = (l.image + 2 * l.pad - l.kernel) / l.stride + 1;
  const int64_t after = std::max<int64_t>(0, (out - 1) * l.stride + l.kernel - l.image - l.pad);
  return {.batch = batch,
          .in_channels = l.in_channels,
          .out_channels = l.out_channels,
          .has_bias = false,
          .window = {.in = {l.image, l.image},
                     .out = {out, out},
                     .kernel = {l.kernel, l.kernel},
                     .stride = {l.stride, l.stride},
                     .dilation = {1, 1},
                     .pad_before = {l.pad, l.pad},
                     .pad_after = {after, after}}};
}

// Multiplications and additions of a run that meet no padding.
inline double OperationsWithoutPadding(const ConvolutionLayer& l,
                                       const nn::ConvolutionGeometry& g) {
  int64_t of_axis = 0;
  for (int64_t k = 0; k < l.kernel; ++k) {
    for (int64_t i = 0; i < g.window.out[0]; ++i) {
      const int64_t at = i * l.stride + k - l.pad;
      of_axis += at >= 0 && at < l.image ? 1 : 0;
    }
  }
  return 2.0 * static_cast<double>(of_axis * of_axis * g.batch * l.in_channels * l.out_channels);
}

// The body of a program that compares kernels on one thread. Its arguments are
// "[avx2|avx512 [BATCH [NAME]]]": by default the best instruction set, minibatches of 42 and all
// layers, else those whose name contains NAME. Calls `compare` for each layer until one returns
// another value than 0. Returns the exit code: 0, 1 if `compare` failed, 2 for wrong arguments.
inline int CompareLayers(int argc, char** argv, const char* program,
                         int (*compare)(const ConvolutionLayer&, int64_t batch, nn::Isa)) {
  const auto isa = argc > 1 ? nn::IsaFromName(argv[1]) : nn::DetectBestIsa();
  const int64_t batch = argc > 2 ? std::atoll(argv[2]) : 42;
  const char* const name = argc > 3 ? argv[3] : "";
  if (!isa.ok() || !nn::SetProcessIsa(*isa).ok() || batch < 1) {
    std::fprintf(stderr, "%s [avx2|avx512 [BATCH [NAME]]]\n", program);
    return 2;
  }
  const nn::ComputeScope scope(/*threads=*/1);
  for (const ConvolutionLayer& l : kConvolutionLayers) {
    if (std::strstr(l.name, name) != nullptr && compare(l, batch, *isa) != 0) return 1;
  }
  return 0;
}

}  // namespace dl::bench
