"""A PyTorch GRU cell with 8 hidden units in float32, random weights of a fixed seed.

    foolproof fool --exec 'python3 examples/torch_recurrent.py' --task copy --n 3 --alphabet 4
    foolproof horizon --exec 'python3 examples/torch_recurrent.py' --tokens 6
"""
import torch

from foolproof_client import serve

VOCAB, HIDDEN = 16, 8
torch.manual_seed(0)
torch.set_num_threads(1)
torch.use_deterministic_algorithms(True)
EMBED = torch.nn.Embedding(VOCAB, HIDDEN)
CELL = torch.nn.GRUCell(HIDDEN, HIDDEN)
HEAD = torch.nn.Linear(HIDDEN, VOCAB)
LENGTH = 3  # answer tokens, read off by feeding them back


@torch.no_grad()
def step(state, token):
    return CELL(EMBED(torch.tensor([token])), state)


@torch.no_grad()
def out(state, token):
    answer = []
    for _ in range(LENGTH):
        state = step(state, token)
        token = int(HEAD(state).argmax())
        answer.append(token)
    return answer


if __name__ == "__main__":
    serve(VOCAB, lambda: torch.zeros(1, HIDDEN), step, out, lambda state: state.numpy().tobytes(), name="torch GRU, 8 x float32")
