//! `fool`: the line protocol against models that are right, wrong, and broken.

use crate::{foolproof, json};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// A model in Python, standard library only, in a file of its own.
fn model(body: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.py");
    let head = format!(
        "import sys, json, time\nsys.path.insert(0, {:?})\n",
        examples()
    );
    std::fs::write(&path, head + body).unwrap();
    let command = format!("python3 {}", path.to_str().unwrap());
    (folder, command)
}

fn examples() -> String {
    format!("{}/examples", env!("CARGO_MANIFEST_DIR"))
}

/// Additive, as on the page of the protocol: state = sum of v_i k_i in two 16-bit integers.
const ADDITIVE: &str = "
from foolproof_client import serve
KEYS = [(1, 0), (0, 1), (1, 1), (2, 1), (1, 2), (3, 2)]
def step(state, token):
    place, a, b = state
    k = KEYS[place % 6]
    return place + 1, a + token * k[0], b + token * k[1]
def out(state, token):
    return [max(1, min(6, state[1] // 6))]
def pack(state):
    return state[1].to_bytes(2, 'little') + state[2].to_bytes(2, 'little')
serve(13, lambda: (0, 0, 0), step, out, pack)
";

const RIGHT: &str = "
from foolproof_client import serve
serve(9, lambda: (), lambda s, t: s + (t,), lambda s, t: [s[t - 4]], lambda s: bytes(s))
";

#[test]
fn a_small_state_is_fooled_and_the_certificate_replays() {
    let (_folder, command) = model(ADDITIVE);
    let proof = tempfile::tempdir().unwrap();
    let place = proof.path().to_str().unwrap();
    let begin = Instant::now();
    let found = json(&[
        "fool", "--exec", &command, "--task", "eva", "--n", "6", "--proof", place,
    ]);
    assert!(
        begin.elapsed().as_secs() < 5,
        "32 nominal bits in under 5 s"
    );
    assert_eq!(
        (&found["verdict"], &found["witness"]),
        (&"fooled".into(), &"FOOL-EVA.json".into())
    );
    assert_ne!(
        found["pair"]["left"]["required"],
        found["pair"]["right"]["required"]
    );
    assert_eq!(found["outputs"][0], found["outputs"][1]);
    let file = proof.path().join("FOOL-EVA.json");
    let file = file.to_str().unwrap();
    let verdict = |arguments: &[&str]| foolproof(arguments).0;
    assert_eq!(
        verdict(&["verify", file]),
        3,
        "not checked without the command"
    );
    assert_eq!(verdict(&["verify", file, "--exec", &command]), 0);
    assert_eq!(
        verdict(&["verify", file, "--exec", "python3 other.py"]),
        2,
        "a model that does not start"
    );
    // The same bytes again.
    let first = std::fs::read(file).unwrap();
    json(&[
        "fool", "--exec", &command, "--task", "eva", "--n", "6", "--proof", place,
    ]);
    assert_eq!(first, std::fs::read(file).unwrap());
    // Any changed byte is rejected, whether the command is repeated or not.
    for at in (0..first.len()).step_by(97) {
        let mut changed = first.clone();
        changed[at] ^= 1;
        std::fs::write(file, changed).unwrap();
        assert_eq!(verdict(&["verify", file]), 1, "byte {at}");
    }
}

#[test]
fn a_changed_model_is_rejected() {
    let (folder, command) = model(ADDITIVE);
    let path = folder.path().join("model.py");
    let proof = folder.path().join("proof");
    let (file, place) = (
        proof.join("FOOL-EVA.json"),
        proof.to_str().unwrap().to_owned(),
    );
    let depends = path.to_str().unwrap();
    json(&[
        "fool",
        "--exec",
        &command,
        "--depends",
        depends,
        "--task",
        "eva",
        "--n",
        "6",
        "--proof",
        &place,
    ]);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("// 6", "// 7")).unwrap();
    let (code, text, _) = foolproof(&["verify", file.to_str().unwrap(), "--exec", &command]);
    assert!(code == 1 && text.contains("digest at"), "{text}");
}

#[test]
fn a_right_model_is_correct_and_a_search_may_find_nothing() {
    let (_folder, command) = model(RIGHT);
    let found = json(&["fool", "--exec", &command, "--task", "eva", "--n", "3"]);
    assert_eq!(found["verdict"], "correct", "{found}");
    let (code, _, _) = foolproof(&[
        "fool", "--exec", &command, "--task", "eva", "--n", "3", "--budget", "20",
    ]);
    assert_eq!(code, 3);
    let (code, _, _) = foolproof(&[
        "fool", "--exec", &command, "--task", "eva", "--n", "3", "--expect", "fooled",
    ]);
    assert_eq!(code, 1);
    let (code, _, stderr) = foolproof(&["fool", "--exec", &command, "--task", "eva", "--n", "5"]);
    assert!(
        code == 2 && stderr.contains("a vocabulary of 11 would do"),
        "{stderr}"
    );
}

#[test]
fn an_exact_model_is_fooled_with_its_relation() {
    let found = json(&[
        "fool",
        "--spec",
        "eva-additive",
        "--task",
        "eva",
        "--n",
        "6",
    ]);
    assert_eq!(found["verdict"], "fooled");
    assert_eq!(
        found["relation"],
        serde_json::json!(["-1", "-1", "1", "0", "0", "0"])
    );
}

#[test]
fn broken_models_give_one_clear_error() {
    let hello = "print(json.dumps({'v':1,'vocab':13,'state':'hex'}), flush=True)\n";
    let read = "line = sys.stdin.readline()\n";
    let rows: &[(&str, &str)] = &[
        (
            "sys.exit(3)",
            "the model ended (exit status: 3) before its reply to hello",
        ),
        (
            "print('hello', flush=True); time.sleep(9)",
            "column 1: found `h`, expected a value, in the line `hello`",
        ),
        ("print('', flush=True); time.sleep(9)", "a blank line"),
        (
            "print(json.dumps({'v':2,'vocab':13,'state':None}), flush=True); time.sleep(9)",
            "`v` is not 1",
        ),
        (
            "print(json.dumps({'v':1,'state':None}), flush=True); time.sleep(9)",
            "no `vocab`",
        ),
        (
            "sys.stdout.write('{\"v\":1'); sys.stdout.flush()",
            "a partial line at the end: `{\"v\":1`",
        ),
        (
            "sys.stdout.buffer.write(b'\\xff\\n'); sys.stdout.flush(); time.sleep(9)",
            "a line that is not UTF-8 at byte 1",
        ),
        (
            "time.sleep(30)",
            "no reply to hello within 1 seconds; the model was stopped",
        ),
        (
            "HELLO; READ; READ; print('{\"id\":999,\"state\":\"00\"}', flush=True); time.sleep(9)",
            "id 999 was not asked",
        ),
        (
            "HELLO; READ; READ; print('{\"id\":1}', flush=True); time.sleep(9)",
            "no `out`, `state` or `error`",
        ),
        (
            "HELLO; READ; READ; print('{\"id\":1,\"out\":[1]}', flush=True); time.sleep(9)",
            "a reply of the other kind",
        ),
        (
            "HELLO; READ; READ; print('{\"id\":1,\"state\":\"0\"}', flush=True); time.sleep(9)",
            "`state` is not lower-case hex of even length",
        ),
        (
            "HELLO; READ; READ; sys.stderr.write('out of memory\\n'); sys.exit(7)",
            "its last lines on stderr:\n  out of memory",
        ),
    ];
    for (body, message) in rows {
        let body = body
            .replace("HELLO; ", &format!("{read}{hello}"))
            .replace("READ; READ; ", read);
        let (_folder, command) = model(&body);
        let (code, stdout, stderr) = foolproof(&[
            "fool",
            "--exec",
            &command,
            "--reply-seconds",
            "1",
            "--grace",
            "0",
            "--task",
            "eva",
            "--n",
            "6",
        ]);
        assert_eq!(code, 2, "{body}: {stdout}{stderr}");
        assert!(stderr.contains(message), "{body}:\n{stderr}");
    }
    for (command, message) in [
        (
            "no-such-command-here",
            "exec: no command `no-such-command-here` here or in PATH",
        ),
        ("'unclosed", "exec: quotes do not match"),
        ("", "exec: an empty command"),
    ] {
        let (code, _, stderr) =
            foolproof(&["fool", "--exec", command, "--task", "eva", "--n", "6"]);
        assert!(code == 2 && stderr.contains(message), "{stderr}");
    }
}

#[test]
fn no_shell_touches_the_command() {
    let (folder, command) = model(RIGHT);
    let path = folder.path().join("model.py");
    // A shell would take `;` and `$HOME`; here they are arguments.
    let command = format!(
        "{command} '; touch {}/pwned' $HOME",
        folder.path().display()
    );
    let found = json(&["fool", "--exec", &command, "--task", "eva", "--n", "3"]);
    assert_eq!(found["verdict"], "correct");
    assert!(path.exists() && !folder.path().join("pwned").exists());
}

#[test]
fn models_that_change_their_mind_or_hide_state() {
    let random = "
from foolproof_client import serve
import itertools
count = itertools.count()
serve(13, lambda: 0, lambda s, t: 0, lambda s, t: [1 + next(count) // 2 % 6], lambda s: b'')
";
    let (_folder, command) = model(random);
    let (code, _, stderr) = foolproof(&["fool", "--exec", &command, "--task", "eva", "--n", "6"]);
    assert!(
        code == 2 && stderr.contains("not deterministic, no certificate"),
        "{code}: {stderr}"
    );
    // It tells nothing of its state, and answers right: equal states, different outputs.
    let hidden = RIGHT.replace("lambda s: bytes(s)", "lambda s: b''");
    let (_folder, command) = model(&hidden);
    let found = json(&["fool", "--exec", &command, "--task", "eva", "--n", "3"]);
    assert_eq!(found["verdict"], "correct");
    assert!(
        found["stats"]["states_off"]
            .as_str()
            .unwrap()
            .contains("incomplete")
    );
}

#[test]
fn replies_in_any_order_and_refusals() {
    let shuffled = "
pending = []
for line in sys.stdin:
    ask = json.loads(line)
    if ask['op'] == 'hello':
        print(json.dumps({'v':1,'vocab':9,'state':None,'batch':2,'extra':1}), flush=True)
    elif ask['op'] == 'run':
        t = ask['tokens']
        pending.append({'id': ask['id'], 'out': [t[t[-1] - 4]]})
        if len(pending) == 2:
            for reply in reversed(pending): print(json.dumps(reply), flush=True)
            pending = []
    else:
        break
";
    let (_folder, command) = model(shuffled);
    // 27 tables, 3 positions: 81 runs; the last waits for a partner that never comes.
    let (code, _, stderr) = foolproof(&[
        "fool",
        "--exec",
        &command,
        "--task",
        "eva",
        "--n",
        "3",
        "--reply-seconds",
        "1",
    ]);
    assert!(
        code == 2 && stderr.contains("no reply to request 81"),
        "{stderr}"
    );
    let found = json(&["fool", "--exec", &command, "--task", "eva", "--n", "2"]);
    assert_eq!(
        found["verdict"], "fooled",
        "position t - 4 is not position t - 3 at n = 2"
    );
    let refusing = RIGHT.replace("[s[t - 4]]", "[s[t - 4]] if s[0] != 2 else 1 / 0");
    let (_folder, command) = model(&refusing);
    let (code, text, _) = foolproof(&["fool", "--exec", &command, "--task", "eva", "--n", "3"]);
    assert!(code == 3 && text.contains("27 refused"), "{text}");
}

/// Clients of the examples, where their packages are installed.
#[test]
fn example_clients_are_fooled_where_their_packages_are() {
    let rows = [
        ("numpy", "numpy_recurrent.py", "eva --n 6"),
        ("torch", "torch_recurrent.py", "copy --n 3 --alphabet 4"),
        (
            "onnxruntime, silero_vad",
            "silero_recurrent.py",
            "index --n 4",
        ),
    ];
    let python = std::env::var("FOOLPROOF_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    for (packages, file, task) in rows {
        let find = packages
            .split(", ")
            .map(|package| format!("importlib.util.find_spec('{package}')"))
            .collect::<Vec<_>>()
            .join(" and ");
        let probe = format!("import importlib.util, sys; sys.exit(0 if {find} else 1)");
        if !Command::new(&python)
            .args(["-c", &probe])
            .status()
            .is_ok_and(|status| status.success())
        {
            println!("skipped: {file} needs {packages}");
            continue;
        }
        let path = Path::new(&examples()).join(file);
        let (command, proof) = (
            format!("{python} {}", path.display()),
            tempfile::tempdir().unwrap(),
        );
        let mut arguments = vec![
            "fool",
            "--exec",
            &command,
            "--proof",
            proof.path().to_str().unwrap(),
            "--expect",
            "fooled",
            "--task",
        ];
        arguments.extend(task.split(' '));
        let (code, text, stderr) = foolproof(&arguments);
        assert_eq!(code, 0, "{file}: {text}{stderr}");
        println!("{file}: {text}");
        let evidence = std::fs::read_dir(proof.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let (code, text, _) =
            foolproof(&["verify", evidence.to_str().unwrap(), "--exec", &command]);
        assert_eq!(code, 0, "{text}");
    }
}
