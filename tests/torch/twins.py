"""PyTorch versions of the zoo's models, with the same layers, the same names, and seeded weights.

They follow the papers' shapes and PyTorch's functions, not Paravane's configs. The test checks that
both have tensors of the same names and shapes. The twin converts where conventions differ: running
variances are biased, and the constant of a forget gate is in PyTorch's second bias.
"""
import math
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F

import seeded

SMALL = 64  # images up to this size use the small stems


class Tensors:
    """The tensors of a model by name. A tensor is created when a layer first uses it."""

    def __init__(self, model, dtype):
        self.model, self.dtype = model, dtype
        self.parameters, self.moments, self.seeded, self.carried = {}, {}, {}, {}
        self.training = True
        self.step, self.penalty = 0, 0.0  # training step; sum of what layers add to the loss
        self.kink_distance = math.inf  # distance of the nearest point without a derivative,
                                       # relative to its layer's scale

    def loss(self, twin, batch):
        """Returns the mean over all rows, or over all reconstructed values."""
        features, labels = batch
        y = twin.forward(self, features, twin.classes)
        if twin.reconstructs:
            return F.binary_cross_entropy_with_logits(y, features) + self.penalty
        return F.cross_entropy(y.reshape(-1, twin.classes), labels)

    def predictions(self, twin, features):
        y = twin.forward(self, features, twin.classes)
        return torch.sigmoid(y) if twin.reconstructs else y.reshape(-1, twin.classes).softmax(-1)

    def _make(self, name, shape, center, bound):
        self.seeded[name] = {"center": center, "bound": bound}
        values = seeded.uniform(f"{self.model}/{name}", math.prod(shape)) * bound + center
        return torch.tensor(values.astype("float32").reshape(shape)).to(self.dtype)

    def parameter(self, name, shape, center=0.0, bound=0.125):
        if name not in self.parameters:
            self.parameters[name] = self._make(name, shape, center, bound).requires_grad_()
        return self.parameters[name]

    def weight(self, name, shape, fan_in, gain=1.0):
        """Returns a weight with a variance of about gain / fan_in. Its bound is a power of two."""
        return self.parameter(name, shape, bound=2.0 ** round(math.log2(math.sqrt(3 * gain / fan_in))))

    def moment(self, name, shape, center, bound):
        if name not in self.moments:
            self.moments[name] = self._make(name, shape, center, bound)
        return self.moments[name]

    # Layers

    def relu(self, x):
        self._kink(x.detach().abs(), x)
        return F.relu(x)

    def max_pool(self, x, kernel, stride=None, padding=0):
        stride = stride or kernel
        windows = F.pad(x.detach(), [padding] * 4, value=-math.inf).unfold(2, kernel, stride).unfold(3, kernel, stride)
        first, second = windows.flatten(4).topk(2, dim=-1).values.unbind(-1)
        self._kink((first - second)[first > 0], x)  # values that a rectifier set to 0 are equal
                                                    # and have no gradient
        return F.max_pool2d(x, kernel, stride, padding)

    def _kink(self, distances, x):
        if distances.numel() > 0:
            self.kink_distance = min(self.kink_distance, float(distances.min() / x.detach().square().mean().sqrt()))

    def conv(self, x, name, filters, kernel, stride=1, padding=0, groups=1, bias=True):
        channels = x.shape[1] // groups
        weight = self.weight(f"{name}.weight", (filters, channels, kernel, kernel), channels * kernel**2, gain=2)
        return F.conv2d(x, weight, self.parameter(f"{name}.bias", (filters,)) if bias else None, stride, padding, 1, groups)

    def dense(self, x, name, units, bias=True, gain=2.0):
        weight = self.weight(f"{name}.weight", (units, x.shape[-1]), x.shape[-1], gain)
        return F.linear(x, weight, self.parameter(f"{name}.bias", (units,)) if bias else None)

    def batch_norm(self, x, name, decay=0.9):
        """With these parameters most outputs are above the 0 of the next rectifier. With gamma 1 and
        beta 0, gradients would grow by a fifth in each layer (Yang et al., ICLR 2019). After 50 layers
        float32 would have no correct digit."""
        n = (x.shape[1],)
        gamma = self.parameter(f"{name}.gamma", n, center=0.5, bound=0.125)
        beta = self.parameter(f"{name}.beta", n, center=0.5)
        mean = self.moment(f"{name}.mean", n, center=0.0, bound=0.25)
        variance = self.moment(f"{name}.variance", n, center=1.0, bound=0.5)
        if not self.training:
            return F.batch_norm(x, mean, variance, gamma, beta, training=False)
        with torch.no_grad():
            dims = [d for d in range(x.dim()) if d != 1]
            self.moments[f"{name}.mean"] = decay * mean + (1 - decay) * x.mean(dims)
            self.moments[f"{name}.variance"] = decay * variance + (1 - decay) * x.var(dims, unbiased=False)
        return F.batch_norm(x, None, None, gamma, beta, training=True)

    def layer_norm(self, x, name):
        n = (x.shape[-1],)
        gamma = self.parameter(f"{name}.gamma", n, center=1.0, bound=0.25)
        return F.layer_norm(x, n, gamma, self.parameter(f"{name}.beta", n))

    def embedding(self, tokens, name, indices, units):
        return F.embedding(tokens, self.parameter(f"{name}.weight", (indices, units), bound=1.0))

    def lstm(self, x, name, units, forget_bias=1.0):
        rows, n = 4 * units, x.shape[-1]
        weights = [self.weight(f"{name}.weight", (rows, n), n), self.weight(f"{name}.recurrent_weight", (rows, units), units),
                   self.parameter(f"{name}.bias", (rows,))]
        constant = torch.zeros(rows, dtype=self.dtype)
        constant[units:2 * units] = forget_bias
        zeros = torch.zeros(1, x.shape[0], units, dtype=self.dtype)
        begin = self.carried.get(name, (zeros, zeros))
        steps, state, cell = torch.lstm(x, begin, weights + [constant], True, 1, 0.0, self.training, False, True)
        self.carried[name] = (state.detach(), cell.detach())
        return steps

    def gaussian_sample(self, x, layer, kl_weight):
        """`layer` is its position in the model. Stores its part of the loss until the loss is computed."""
        mean, log_variance = x.chunk(2, dim=-1)
        self.penalty = kl_weight * 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum(-1).mean()
        if not self.training:
            return mean
        noise = seeded.gaussian_sample_noise(layer, self.step, mean.numel())
        return mean + (log_variance / 2).exp() * torch.tensor(noise).to(self.dtype).reshape(mean.shape)

    def attention(self, x, name, heads, causal):
        steps, n = x.shape[1], x.shape[2]
        qkv = self.weight(f"{name}.qkv_weight", (3 * n, n), n)
        qkv_bias = self.parameter(f"{name}.qkv_bias", (3 * n,))
        out, bias = self.weight(f"{name}.weight", (n, n), n), self.parameter(f"{name}.bias", (n,))
        mask = torch.full((steps, steps), float("-inf"), dtype=self.dtype).triu(1) if causal else None
        rows = x.transpose(0, 1)
        y, _ = F.multi_head_attention_forward(rows, rows, rows, n, heads, qkv, qkv_bias, None, None, False, 0.0, out, bias,
                                              self.training, None, False, mask)
        return y.transpose(0, 1)


# Models: functions of tensors, examples and the number of classes that return logits

def lenet5(t, x, classes):
    x = t.max_pool(t.relu(t.conv(x, "conv1", 6, 5)), 2)
    x = t.max_pool(t.relu(t.conv(x, "conv2", 16, 5)), 2).flatten(1)
    x = t.relu(t.dense(x, "dense1", 120))
    x = t.relu(t.dense(x, "dense2", 84))
    return t.dense(x, "output1", classes)


def lenet_a(t, x, classes):
    x = t.max_pool(torch.tanh(t.conv(x, "conv1", 20, 5)), 2)
    x = t.max_pool(torch.tanh(t.conv(x, "conv2", 50, 5)), 2).flatten(1)
    return t.dense(torch.tanh(t.dense(x, "dense1", 500)), "output1", classes)


def mlp(t, x, classes):
    x = t.relu(t.dense(x, "dense1", 1000))
    return t.dense(t.relu(t.dense(x, "dense2", 1000)), "output1", classes)


def alexnet(t, x, classes):
    x = t.max_pool(t.relu(t.conv(x, "conv1", 96, 11, stride=4, padding=2)), 3, 2)
    x = t.max_pool(t.relu(t.conv(x, "conv2", 256, 5, padding=2)), 3, 2)
    for name, filters in (("conv3", 384), ("conv4", 384), ("conv5", 256)):
        x = t.relu(t.conv(x, name, filters, 3, padding=1))
    x = t.max_pool(x, 3, 2).flatten(1)
    for name in ("dense1", "dense2"):
        x = t.relu(t.dense(x, name, 4096))
    return t.dense(x, "output1", classes)


def vgg16(t, x, classes):
    small = x.shape[-1] <= SMALL
    layer = 0
    for filters, convolutions in ((64, 2), (128, 2), (256, 3), (512, 3), (512, 3)):
        for _ in range(convolutions):
            layer += 1
            x = t.relu(t.conv(x, f"conv{layer}", filters, 3, padding=1))
        x = t.max_pool(x, 2)
    x = x.flatten(1)
    for i, units in enumerate((512,) if small else (4096, 4096)):
        x = t.relu(t.dense(x, f"dense{i + 1}", units))
    return t.dense(x, "output1", classes)


def resnet(t, x, classes, depths, bottleneck):
    def normalized(x, name, filters, kernel, stride=1):
        return t.batch_norm(t.conv(x, f"{name}_conv", filters, kernel, stride, kernel // 2, bias=False), f"{name}_bn")

    if x.shape[-1] <= SMALL:
        x = t.relu(normalized(x, "stem", 64, 3))
    else:
        x = t.max_pool(t.relu(normalized(x, "stem", 64, 7, 2)), 3, 2, 1)
    for stage, depth in enumerate(depths):
        width = 64 << stage
        for i in range(depth):
            name, stride = f"stage{stage + 1}_block{i + 1}", 2 if stage > 0 and i == 0 else 1
            if bottleneck:
                y = t.relu(normalized(x, f"{name}_1", width, 1))
                y = t.relu(normalized(y, f"{name}_2", width, 3, stride))
                y = normalized(y, f"{name}_3", 4 * width, 1)
            else:
                y = t.relu(normalized(x, f"{name}_1", width, 3, stride))
                y = normalized(y, f"{name}_2", width, 3)
            if stride != 1 or x.shape[1] != y.shape[1]:
                x = normalized(x, f"{name}_shortcut", y.shape[1], 1, stride)
            x = t.relu(x + y)
    return t.dense(x.mean((2, 3)), "output1", classes)


def resnet18(t, x, classes):
    return resnet(t, x, classes, (2, 2, 2, 2), bottleneck=False)


def resnet50(t, x, classes):
    return resnet(t, x, classes, (3, 4, 6, 3), bottleneck=True)


def mobilenet(t, x, classes):
    layer = 0

    def normalized(x, filters, kernel, stride=1, groups=1):
        nonlocal layer
        layer += 1
        x = t.conv(x, f"conv{layer}", filters, kernel, stride, kernel // 2, groups, bias=False)
        return t.relu(t.batch_norm(x, f"bn{layer}"))

    x = normalized(x, 32, 3, stride=1 if x.shape[-1] <= SMALL else 2)
    for filters, stride in ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), *[(512, 1)] * 5, (1024, 2), (1024, 1)):
        x = normalized(x, x.shape[1], 3, stride, groups=x.shape[1])
        x = normalized(x, filters, 1)
    return t.dense(x.mean((2, 3)), "output1", classes)


def stacked_lstm(t, tokens, classes):
    x = t.embedding(tokens, "embedding1", classes, 200)
    x = t.lstm(t.lstm(x, "lstm1", 200, forget_bias=0.0), "lstm2", 200, forget_bias=0.0)
    return t.dense(x, "output1", classes, gain=1)


def gpt(t, tokens, classes):
    width = 256
    x = t.embedding(tokens, "embedding1", classes, width)
    x = x + t.parameter("positions.weight", (tokens.shape[1], width), bound=1.0)
    for block in range(1, 5):
        x = x + t.attention(t.layer_norm(x, f"ln{2 * block - 1}"), f"attention{block}", 4, causal=True)
        y = F.gelu(t.dense(t.layer_norm(x, f"ln{2 * block}"), f"up{block}", 4 * width))
        x = x + t.dense(y, f"down{block}", width, gain=1)
    return t.dense(t.layer_norm(x, "ln9"), "output1", classes, bias=False, gain=1)


def bert(t, tokens, classes):
    width = 256
    x = t.embedding(tokens, "embedding1", classes, width)
    x = t.layer_norm(x + t.parameter("positions.weight", (tokens.shape[1], width), bound=1.0), "norm0")
    for block in range(1, 5):
        x = t.layer_norm(x + t.attention(x, f"attention{block}", 4, causal=False), f"norm{2 * block - 1}")
        y = t.dense(F.gelu(t.dense(x, f"up{block}", 4 * width)), f"down{block}", width, gain=1)
        x = t.layer_norm(x + y, f"norm{2 * block}")
    x = t.layer_norm(F.gelu(t.dense(x, "transform", width)), "ln1")
    return t.dense(x, "output1", classes, gain=1)


def unet(t, x, classes):
    def twice(x, name, filters):
        for end in ("_1", "_2"):
            x = t.relu(t.conv(x, name + end, filters, 3, padding=1))
        return x

    skips = []
    for level in range(1, 5):
        skips.append(twice(x, f"down{level}", 32 << level))
        x = t.max_pool(skips[-1], 2)
    x = twice(x, "bottom", 1024)
    for level in range(4, 0, -1):
        filters = 32 << level
        weight = t.weight(f"up{level}.weight", (filters, x.shape[1], 2, 2), x.shape[1], gain=2)
        x = F.conv_transpose2d(x, weight.transpose(0, 1), t.parameter(f"up{level}.bias", (filters,)), stride=2)
        x = twice(torch.cat([skips.pop(), x], dim=1), f"up{level}", filters)
    return t.dense(x.flatten(2).transpose(1, 2), "output1", classes, gain=1)


def autoencoder(t, x, _):
    for layer, units in enumerate((1000, 500, 250)):
        x = t.relu(t.dense(x, f"dense{layer + 1}", units))
    x = t.dense(x, "code", 30, gain=1)
    for layer, units in enumerate((250, 500, 1000)):
        x = t.relu(t.dense(x, f"dense{layer + 4}", units))
    return t.dense(x, "output1", 784, gain=1)


def vae(t, x, _):
    x = t.dense(torch.tanh(t.dense(x, "dense1", 500)), "distribution", 40, gain=1)
    x = torch.tanh(t.dense(t.gaussian_sample(x, layer=2, kl_weight=1 / 784), "dense2", 500))
    return t.dense(x, "output1", 784, gain=1)


@dataclass
class Twin:
    zoo: str                 # name in the zoo
    forward: Callable
    shape: tuple             # of an example: (channels, height, width), (features,) or (steps, 1)
    classes: int
    examples: int
    clip: float = 0.0        # bound of the gradient's norm
    adam: bool = False       # False: momentum
    pixels: bool = False     # each pixel has a label
    reconstructs: bool = False  # compared with the input, which is in [0, 1]
    draw: int = 0            # number of the random draw of minibatches, chosen far from kinks
                             # (make_fixtures.py --search)

    @property
    def tokens(self):
        return len(self.shape) == 2

    def batch(self, name, step, dtype):
        """Returns the seeded minibatch of a step and its labels: one per example, token or pixel."""
        where, count = f"{name}/{self.draw}/{step}", self.examples * math.prod(self.shape)
        rows = count if self.tokens else count // self.shape[0] if self.pixels else self.examples
        labels = torch.tensor(seeded.below(f"{where}/labels", rows, self.classes))
        if self.tokens:
            return torch.tensor(seeded.below(f"{where}/features", count, self.classes)).reshape(self.examples, -1), labels
        features = torch.tensor(seeded.uniform(f"{where}/features", count)).to(dtype)
        if self.reconstructs:
            features = features / 2 + 0.5
        return features.reshape(self.examples, *self.shape), labels


IMAGE, LARGE = (3, 32, 32), (3, 96, 96)
TWINS = {
    "lenet5": Twin("lenet5", lenet5, IMAGE, 10, 4, draw=46),
    "lenet_a": Twin("lenet_a", lenet_a, (1, 28, 28), 10, 4, draw=10),
    "mlp": Twin("mlp", mlp, (784,), 10, 4, draw=11),
    "alexnet": Twin("alexnet", alexnet, LARGE, 10, 2, draw=2),
    "vgg16": Twin("vgg16", vgg16, IMAGE, 10, 2, draw=1),
    "vgg16_large": Twin("vgg16", vgg16, LARGE, 10, 2, draw=17),
    "resnet18": Twin("resnet18", resnet18, IMAGE, 10, 2, draw=31),
    "resnet18_large": Twin("resnet18", resnet18, LARGE, 10, 2, draw=11),
    "resnet50": Twin("resnet50", resnet50, IMAGE, 10, 2, draw=33),
    "resnet50_large": Twin("resnet50", resnet50, LARGE, 10, 2, draw=4),
    "mobilenet": Twin("mobilenet", mobilenet, IMAGE, 10, 2, draw=8),
    "mobilenet_large": Twin("mobilenet", mobilenet, LARGE, 10, 2, draw=35),
    "unet": Twin("unet", unet, (1, 32, 32), 3, 2, pixels=True, draw=16),
    "autoencoder": Twin("autoencoder", autoencoder, (784,), 10, 4, adam=True, reconstructs=True),
    "vae": Twin("vae", vae, (784,), 10, 4, adam=True, reconstructs=True),
    "char_lstm": Twin("char_lstm", stacked_lstm, (50, 1), 80, 3, clip=5, adam=True),
    "word_lstm": Twin("word_lstm", stacked_lstm, (30, 1), 10_000, 2, clip=5, adam=True),
    "bert": Twin("bert", bert, (32, 1), 200, 2, clip=1, adam=True),
    "gpt": Twin("gpt", gpt, (128, 1), 80, 2, clip=1, adam=True),
}
