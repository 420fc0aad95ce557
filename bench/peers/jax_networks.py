"""JAX, the known recipe for many networks at once: vmap over members of a Flax network and Optax's
Adam. Here in one lax.scan over the steps; jax_networks_loop.py calls a compiled step from Python.

The rows of member k in a bootstrapped batch are drawn from keys made of k and of the position, so
that every epoch has the same ones, as in bootfold.
"""

from __future__ import annotations

import flax
import flax.linen as nn
import harness
import jax
import jax.numpy as jnp
import jax.random as jr
import networks
import optax
from networks import LEARNING_RATE, NetworkWork, make_data

CHUNK = 10_000  # points predicted at once: all of them would take gigabytes


class Network(nn.Module):
    layers: tuple[int, ...]  # after the input

    @nn.compact
    def __call__(self, x: jax.Array) -> jax.Array:
        for units in self.layers[:-1]:
            x = nn.relu(nn.Dense(units)(x))
        return nn.log_softmax(nn.Dense(self.layers[-1])(x))


class Members:
    """The functions of one member, to be mapped over all."""

    def __init__(self, work: NetworkWork) -> None:
        self.work = work
        self.network = Network(tuple(work.layers[1:]))
        self.optimizer = optax.adam(LEARNING_RATE)
        x, y = make_data(work)
        self.x, self.y = jnp.asarray(x), jnp.asarray(y)

    def init(self, seed: jax.Array):
        params = self.network.init(jr.key(seed), jnp.ones((1, self.work.layers[0])))["params"]
        return params, self.optimizer.init(params)

    def loss(self, params, x: jax.Array, y: jax.Array) -> jax.Array:
        logs = self.network.apply({"params": params}, x)
        return -jnp.mean(jnp.sum(jax.nn.one_hot(y, logs.shape[1]) * logs, -1))

    def step(self, state, x: jax.Array, y: jax.Array):
        params, moments = state
        loss, gradient = jax.value_and_grad(self.loss)(params, x, y)
        update, moments = self.optimizer.update(gradient, moments, params)
        return (optax.apply_updates(params, update), moments), loss

    def rows(self, member: jax.Array, step: jax.Array) -> jax.Array:
        """Of one batch: they walk through the member's resample."""
        batch, rows = self.work.batch, self.work.rows
        positions = (step * batch + jnp.arange(batch)) % rows
        key = jr.key(member)
        draw = lambda position: jr.randint(jr.fold_in(key, position), (), 0, rows)  # noqa: E731
        return jax.vmap(draw)(positions)

    def all_step(self, state, members: jax.Array, step: jax.Array):
        """One step of all members."""
        if self.work.batch is None:
            return jax.vmap(self.step, in_axes=(0, None, None))(state, self.x, self.y)

        def one(state, member):
            rows = self.rows(member, step)
            return self.step(state, self.x[rows], self.y[rows])

        return jax.vmap(one)(state, members)


def prepare_predict(work: NetworkWork):
    members = Members(work)
    params, _ = jax.jit(jax.vmap(members.init))(jnp.arange(work.members))
    x, _ = make_data(work, work.points)

    @jax.jit
    def predict(params, x: jax.Array):
        logs = jax.vmap(lambda p: members.network.apply({"params": p}, x))(params)
        shares = jnp.exp(logs)
        mean = shares.mean(0)
        total = -jnp.sum(mean * jnp.log(jnp.maximum(mean, 1e-38)), -1)
        aleatoric = -jnp.sum(shares * logs, -1).mean(0)
        return mean, total, aleatoric

    def run() -> None:
        said = [predict(params, x[i : i + CHUNK]) for i in range(0, len(x), CHUNK)]
        jax.block_until_ready(said)

    return run


def prepare(work: NetworkWork, loop: bool = False):
    if work.kind == "predict":
        return prepare_predict(work)
    members = Members(work)
    numbers = jnp.arange(work.members)
    start = jax.jit(jax.vmap(members.init))(numbers)

    if loop:
        step = jax.jit(members.all_step)

        def run_loop() -> None:
            state = start
            for i in range(work.steps):
                state, loss = step(state, numbers, i)
            jax.block_until_ready(loss)

        return run_loop

    @jax.jit
    def scan(state):
        body = lambda state, i: members.all_step(state, numbers, i)  # noqa: E731
        return jax.lax.scan(body, state, jnp.arange(work.steps))

    return lambda: jax.block_until_ready(scan(start))


def version() -> str:
    return f"JAX {jax.__version__}, Flax {flax.__version__}, Optax {optax.__version__}"


if __name__ == "__main__":
    networks.main(prepare, version=version(), path="vmap, scan", threads=harness.cores())
