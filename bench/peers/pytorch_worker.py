"""The PyTorch side of the benchmarks: does what lines of JSON on stdin ask for, answers each with one on stdout.

It waits in a read when it has nothing to do, so that the other workers have the machine for themselves.
"""

import argparse
import json
import os
import resource
import sys
import time

import torch

import padding
import pytorch_beam
import pytorch_seq2seq
import weights


def value_of(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def peak_bytes():
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


class Worker:
    def __init__(self, settings, batches):
        self.settings, self.batches = settings, [padding.batch_of(batch) for batch in batches]
        self.model = pytorch_seq2seq.Transformer(settings)
        self.optimiser = None

    def load(self, command):
        weights.load(self.model, command["file"])
        return {}

    def batch(self, command):
        return self.batches[command["batch"] % len(self.batches)]

    def loss_of(self, batch):
        return pytorch_seq2seq.loss_of(self.model, batch, self.settings["train.label_smoothing"])

    def loss(self, command):
        self.model.eval()
        with torch.no_grad():
            return {"loss": self.loss_of(self.batch(command)).item()}

    def step(self, command):
        self.model.train()
        if self.optimiser is None:
            self.optimiser = torch.optim.Adam(self.model.parameters(), lr=self.settings["optim.lr"], betas=(0.9, 0.98),
                                              eps=1e-8, foreach=True)
        self.optimiser.zero_grad(set_to_none=True)
        loss = self.loss_of(self.batch(command))
        loss.backward()
        self.optimiser.step()
        return {"loss": loss.item()}

    def generate(self, command):
        self.model.eval()
        beam, length = self.settings["generate.beam"], self.settings["generate.max_len_b"]
        scores, words = pytorch_beam.search(self.model, self.batch(command).source, beam, length)
        return {"tokens": words.numel(), "check": scores.sum().item()}

    def hvp(self, command):
        """The Hessian of the loss times the parameters themselves: a vector that every program has."""
        self.model.eval()
        parameters = list(self.model.parameters())
        gradients = torch.autograd.grad(self.loss_of(self.batch(command)), parameters, create_graph=True)
        slope = sum((g * p.detach()).sum() for g, p in zip(gradients, parameters))
        products = torch.autograd.grad(slope, parameters)
        return {"check": sum((h * p.detach()).sum() for h, p in zip(products, parameters)).item()}

    def peak_memory(self, _):
        return {"bytes": peak_bytes()}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--batches", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--set", action="append", default=[])
    given = parser.parse_args()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever else prints must not break the protocol
    torch.set_num_threads(given.threads)
    torch.set_num_interop_threads(1)
    with open(given.batches, encoding="utf-8") as file:
        batches = json.load(file)
    worker = Worker({key: value_of(value) for key, value in (s.split("=") for s in given.set)}, batches)
    for line in sys.stdin:
        command = json.loads(line)
        if command["do"] == "quit":
            break
        faults, start = resource.getrusage(resource.RUSAGE_SELF).ru_minflt, time.perf_counter()
        answer = getattr(worker, command["do"])(command)
        answer["seconds"] = time.perf_counter() - start
        answer["page_faults"] = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - faults
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
