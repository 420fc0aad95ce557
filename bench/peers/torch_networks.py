"""torch: all members in batched products of matrices, with the fused Adam of torch.optim.

The rows of member k in a bootstrapped batch are drawn once, as in bootfold.
"""

from __future__ import annotations

import math

import harness
import networks
import torch
from networks import LEARNING_RATE, NetworkWork, make_data

CHUNK = 10_000  # points predicted at once


class Members(torch.nn.Module):
    def __init__(self, work: NetworkWork) -> None:
        super().__init__()
        shapes = list(zip(work.layers, work.layers[1:], strict=False))
        self.weights = torch.nn.ParameterList(
            torch.randn(work.members, a, b) / math.sqrt(a) for a, b in shapes
        )
        self.biases = torch.nn.ParameterList(torch.zeros(work.members, 1, b) for _, b in shapes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: [member, row, input]."""
        for i, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            x = torch.baddbmm(bias, x, weight)
            if i + 1 < len(self.weights):
                x = torch.relu(x)
        return x


def prepare_predict(work: NetworkWork):
    members = Members(work)
    x = torch.from_numpy(make_data(work, work.points)[0])

    @torch.no_grad()
    def run() -> list:
        said = []
        for part in x.split(CHUNK):
            logs = torch.log_softmax(members(part.expand(work.members, -1, -1)), -1)
            shares = logs.exp()
            mean = shares.mean(0)
            total = -(mean * mean.clamp_min(1e-38).log()).sum(-1)
            said.append((mean, total, -(shares * logs).sum(-1).mean(0)))
        return said

    return run


def prepare(work: NetworkWork):
    torch.set_num_threads(harness.cores())
    torch.manual_seed(1)
    if work.kind == "predict":
        return prepare_predict(work)
    x, y = (torch.from_numpy(part) for part in make_data(work))
    drawn = torch.randint(work.rows, (work.members, work.rows))
    loss_of = torch.nn.CrossEntropyLoss()

    def run() -> None:
        members = Members(work)
        adam = torch.optim.Adam(members.parameters(), lr=LEARNING_RATE, fused=True)
        for step in range(work.steps):
            if work.batch is None:
                inputs = x.expand(work.members, -1, -1)
                classes = y.expand(work.members, -1)
            else:
                places = torch.arange(step * work.batch, (step + 1) * work.batch) % work.rows
                rows = drawn[:, places]
                inputs, classes = x[rows], y[rows]
            adam.zero_grad(set_to_none=True)
            outputs = members(inputs)
            # The mean over rows of the sum over members: their gradients are their own.
            loss = loss_of(outputs.flatten(0, 1), classes.flatten()) * work.members
            loss.backward()
            adam.step()

    return run


if __name__ == "__main__":
    networks.main(
        prepare,
        version=f"torch {torch.__version__}",
        path="batched products",
        threads=harness.cores(),
        least=1,
    )
