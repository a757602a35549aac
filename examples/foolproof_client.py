"""Serve a recurrent model to `foolproof fool --exec`: one JSON object a line on stdin, one on stdout.

Give serve() three functions. start() makes the state before any token; step(state, token) the state after one more; out(state,
token) the answer tokens when `token` is the last one. pack(state) gives all carried state as bytes (None: not told).
"""
import json
import sys


def serve(vocab, start, step, out, pack=None, name=None, batch=64):
    def reply(**fields):
        sys.stdout.write(json.dumps(fields) + "\n")
        sys.stdout.flush()

    def run(tokens):
        state = start()
        for token in tokens:
            state = step(state, token)
        return state

    for line in sys.stdin:
        ask = json.loads(line)
        if ask["op"] == "bye":
            return
        if ask["op"] == "hello":
            reply(v=1, vocab=vocab, state="hex" if pack else None, deterministic=True, batch=batch, name=name)
            continue
        tokens = ask["tokens"]
        try:
            if ask["op"] == "prefix":
                reply(id=ask["id"], state=pack(run(tokens)).hex())
            else:
                reply(id=ask["id"], out=[int(x) for x in out(run(tokens[:-1]), tokens[-1])])
        except Exception as why:  # this input is refused; the search goes on
            reply(id=ask["id"], error=repr(why))
