"""A pretrained recurrent network: the LSTM of silero-vad (MIT licence), as shipped in its PyPI package, run by onnxruntime.

A token is a fixed chunk of 512 samples: 0 is silence, the others are tones of different pitch and loudness. The answer is whether the
network calls the last chunk speech. Its whole state (two vectors of 128 float32, and 64 samples of context) is told.

    pip install onnxruntime numpy && pip install --no-deps silero-vad
    foolproof fool --exec 'python3 examples/silero_recurrent.py' --task index --n 4
    foolproof horizon --exec 'python3 examples/silero_recurrent.py' --prefix 8 --limit 4000
"""
import importlib.util
import pathlib

import numpy as np
import onnxruntime

from foolproof_client import serve

FOLDER = pathlib.Path(importlib.util.find_spec("silero_vad").origin).parent  # the package itself needs torch; its data do not
OPTIONS = onnxruntime.SessionOptions()
OPTIONS.inter_op_num_threads = OPTIONS.intra_op_num_threads = 1
MODEL = onnxruntime.InferenceSession(str(FOLDER / "data" / "silero_vad.onnx"), OPTIONS, providers=["CPUExecutionProvider"])
VOCAB, CHUNK, CONTEXT, RATE = 16, 512, 64, 16000
TIME = np.arange(CHUNK) / RATE
CHUNKS = [(0.05 * token * np.sin(2 * np.pi * 60 * token * TIME)).astype(np.float32) for token in range(VOCAB)]


def start():
    return np.zeros((2, 1, 128), np.float32), np.zeros(CONTEXT, np.float32), 0.0


def step(state, token):
    lstm, context, _ = state
    audio = np.concatenate([context, CHUNKS[token]])[None]
    probability, lstm = MODEL.run(None, {"input": audio, "state": lstm, "sr": np.array(RATE, np.int64)})
    return lstm, CHUNKS[token][-CONTEXT:], float(probability[0, 0])


def out(state, token):
    return [int(step(state, token)[2] > 0.5)]


def pack(state):
    return state[0].astype("<f4").tobytes() + state[1].astype("<f4").tobytes()


if __name__ == "__main__":
    serve(VOCAB, start, step, out, pack, name="silero-vad LSTM, 320 x float32")
