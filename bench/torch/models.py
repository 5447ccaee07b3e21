"""The models that `steps` measures, in PyTorch: those of tests/torch with the functions that are fastest in training.

tests/torch/twins.py has the shapes, the names of the tensors and the comparison with the engine. Here the tensors get
their values from the engine, and layers compute as in a program for training: no distances from kinks, running moments
by batch_norm itself, one product for queries, keys and values.
"""
import math
import pathlib
import sys

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tests" / "torch"))
import seeded  # noqa: E402
import twins  # noqa: E402

NO_LABEL = -100  # cross_entropy ignores it
NOISE_STEPS = 3  # first steps with the engine's noise; later steps draw noise of PyTorch


class Tensors(twins.Tensors):
    """The tensors of a model, with given values. `values` maps names to float32 tensors."""

    def __init__(self, values, channels_last):
        super().__init__("steps", torch.float32)
        self.values, self.channels_last = values, channels_last
        self.masks, self.noise = {}, None

    def _make(self, name, shape, center, bound):
        tensor = self.values.pop(name)
        if tuple(tensor.shape) != tuple(shape):
            raise ValueError(f"{name}: the engine has the shape {tuple(tensor.shape)}, the twin {tuple(shape)}")
        return self.arrange(tensor)

    def arrange(self, tensor):
        return tensor.contiguous(memory_format=torch.channels_last) if self.channels_last and tensor.dim() == 4 else tensor

    def loss(self, twin, batch):
        features, labels = batch
        y = twin.forward(self, features, twin.classes)
        if labels is None:
            return F.binary_cross_entropy_with_logits(y, features) + self.penalty
        return F.cross_entropy(y.reshape(-1, y.shape[-1]), labels, ignore_index=NO_LABEL)

    def relu(self, x):
        return F.relu(x, inplace=True)

    def max_pool(self, x, kernel, stride=None, padding=0):
        return F.max_pool2d(x, kernel, stride or kernel, padding)

    def batch_norm(self, x, name, decay=0.9):
        n = (x.shape[1],)
        gamma, beta = self.parameter(f"{name}.gamma", n), self.parameter(f"{name}.beta", n)
        mean, variance = self.moment(f"{name}.mean", n, 0, 0), self.moment(f"{name}.variance", n, 0, 0)
        return F.batch_norm(x, mean, variance, gamma, beta, training=True, momentum=1 - decay)

    def gaussian_sample(self, x, layer, kl_weight):
        mean, log_variance = x.chunk(2, dim=-1)
        self.penalty = kl_weight * 0.5 * (mean**2 + log_variance.exp() - 1 - log_variance).sum(-1).mean()
        noise = torch.randn_like(mean) if self.noise is None else self.noise
        return mean + (log_variance / 2).exp() * noise

    def attention(self, x, name, heads, causal):
        batch, steps, n = x.shape
        qkv = F.linear(x, self.weight(f"{name}.qkv_weight", (3 * n, n), n), self.parameter(f"{name}.qkv_bias", (3 * n,)))
        query, key, value = qkv.view(batch, steps, 3, heads, n // heads).permute(2, 0, 3, 1, 4)
        if hasattr(F, "scaled_dot_product_attention"):
            y = F.scaled_dot_product_attention(query, key, value, is_causal=causal)
        else:
            scores = query @ key.transpose(-2, -1) * (n // heads) ** -0.5
            if causal:
                scores = scores + self.causal_mask(steps)
            y = scores.softmax(-1) @ value
        y = y.transpose(1, 2).reshape(batch, steps, n)
        return F.linear(y, self.weight(f"{name}.weight", (n, n), n), self.parameter(f"{name}.bias", (n,)))

    def causal_mask(self, steps):
        if steps not in self.masks:
            self.masks[steps] = torch.full((steps, steps), -math.inf).triu(1)
        return self.masks[steps]

    def prepare_noise(self, step, examples):
        """The noise of the VAE's sample in the first steps, which are compared with the engine's."""
        self.noise = None
        if step < NOISE_STEPS:
            drawn = seeded.gaussian_sample_noise(2, step, examples * 20)
            self.noise = torch.tensor(drawn, dtype=torch.float32).reshape(examples, 20)


def alexnet(t, x, classes):
    """As twins.alexnet, with torchvision's adaptive pooling, which changes nothing for 224 x 224."""
    x = t.max_pool(t.relu(t.conv(x, "conv1", 96, 11, stride=4, padding=2)), 3, 2)
    x = t.max_pool(t.relu(t.conv(x, "conv2", 256, 5, padding=2)), 3, 2)
    for name, filters in (("conv3", 384), ("conv4", 384), ("conv5", 256)):
        x = t.relu(t.conv(x, name, filters, 3, padding=1))
    x = F.adaptive_avg_pool2d(t.max_pool(x, 3, 2), 6).flatten(1)
    for name in ("dense1", "dense2"):
        x = t.relu(t.dense(x, name, 4096))
    return t.dense(x, "output1", classes)


def adult(t, x, classes):
    columns = []
    for i, (categories, units) in enumerate(ADULT_COLUMNS):
        column = x[:, i:i + 1]
        if categories:
            column = t.embedding(column[:, 0].long(), f"embedding{i + 1}", categories, units)
        columns.append(column)
    x = t.relu(t.dense(torch.cat(columns, dim=1), "dense1", 64))
    return t.dense(t.relu(t.dense(x, "dense2", 32)), "output1", classes)


ADULT_COLUMNS = ((0, 0), (9, 4), (16, 6), (0, 0), (7, 4), (15, 6), (6, 4), (5, 3), (2, 1), (0, 0), (0, 0), (0, 0), (42, 8))


def resnet_stem7(depths, bottleneck):
    """The ResNet for large images on small images."""
    def forward(t, x, classes):
        small, twins.SMALL = twins.SMALL, 0
        try:
            return twins.resnet(t, x, classes, depths, bottleneck)
        finally:
            twins.SMALL = small
    return forward


MODELS = {name: getattr(twins, name) for name in (
    "lenet_a", "lenet5", "mlp", "resnet18", "resnet50", "vgg16", "mobilenet", "unet", "vae", "autoencoder", "stacked_lstm",
    "gpt", "bert")}
MODELS |= {"alexnet": alexnet, "adult": adult, "resnet18_stem7": resnet_stem7((2, 2, 2, 2), False),
           "resnet50_stem7": resnet_stem7((3, 4, 6, 3), True)}
