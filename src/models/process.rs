//! An external model as a child process: started without a shell, read line by line within bounds, killed when it is silent.

use super::wire::{Ask, Broken, Hello, LINE_LIMIT, Oracle, Reply, reply};
use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Lines of the model's stderr that are kept for messages, and their length.
const KEPT: usize = 20;
const KEPT_LINE: usize = 500;
/// Longest excerpt of a wrong line.
const SHOWN: usize = 200;

/// Time limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For one reply.
    pub reply: Duration,
    /// After `bye`.
    pub grace: Duration,
}

/// What the reader of stdout hands over.
enum Line {
    Text(String),
    Bad(String),
    End,
}

/// A running model.
#[derive(Debug)]
pub struct Process {
    child: Child,
    lines: Receiver<Line>,
    requests: Option<SyncSender<String>>,
    kept: Arc<Mutex<VecDeque<String>>>,
    hello: Hello,
    patience: Patience,
    next: u64,
}

impl std::fmt::Debug for Line {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Line")
    }
}

impl Process {
    /// Starts the command and says hello.
    ///
    /// # Errors
    /// A command that does not start, a first reply that is not a hello.
    pub fn start(words: &[String], patience: Patience) -> Result<Self, Broken> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| Broken("exec: an empty command".to_owned()))?;
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Broken(format!("exec: `{program}` does not start: {error}")))?;
        let taken = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = taken else {
            let _ = child.kill();
            return Err(Broken("exec: no pipes".to_owned()));
        };
        let kept = Arc::new(Mutex::new(VecDeque::new()));
        let (say, requests) = sync_channel::<String>(1);
        let (hand_over, lines) = sync_channel::<Line>(4);
        thread::spawn(move || {
            let mut stdin = stdin;
            // Ends with the channel; a broken pipe shows as the end of the model's output.
            for line in requests {
                if stdin
                    .write_all(line.as_bytes())
                    .and_then(|()| stdin.flush())
                    .is_err()
                {
                    break;
                }
            }
        });
        thread::spawn(move || read_lines(BufReader::new(stdout), &hand_over));
        let keep = Arc::clone(&kept);
        thread::spawn(move || pass_on(BufReader::new(stderr), &keep));
        let unknown = Hello {
            vocab: 0,
            state: false,
            deterministic: true,
            max_tokens: None,
            batch: 1,
            name: None,
        };
        let mut process = Self {
            child,
            lines,
            requests: Some(say),
            kept,
            hello: unknown,
            patience,
            next: 1,
        };
        process.send("{\"op\":\"hello\",\"v\":1}".to_owned())?;
        let line = process.line(Instant::now() + patience.reply, "hello")?;
        process.hello = Hello::read(&line).map_err(|wrong| process.wrong(&line, &wrong))?;
        Ok(process)
    }

    fn send(&mut self, mut line: String) -> Result<(), Broken> {
        line.push('\n');
        let deadline = Instant::now() + self.patience.reply;
        let Some(requests) = &self.requests else {
            return Err(Broken("the model was already told bye".to_owned()));
        };
        let mut line = line;
        loop {
            match requests.try_send(line) {
                Ok(()) => return Ok(()),
                Err(std::sync::mpsc::TrySendError::Full(back)) if Instant::now() < deadline => {
                    line = back;
                    thread::sleep(Duration::from_micros(200));
                }
                Err(std::sync::mpsc::TrySendError::Full(_)) => {
                    return Err(self.failed("the model does not read its input"));
                }
                // The writer saw a broken pipe: the reason is at the end of the output.
                Err(std::sync::mpsc::TrySendError::Disconnected(_)) => {
                    return match self.line(deadline, "a request") {
                        Ok(line) => {
                            Err(self.wrong(&line, "a line after the model closed its input"))
                        }
                        Err(broken) => Err(broken),
                    };
                }
            }
        }
    }

    fn line(&mut self, deadline: Instant, what: &str) -> Result<String, Broken> {
        match self
            .lines
            .recv_timeout(deadline.saturating_duration_since(Instant::now()))
        {
            Ok(Line::Text(line)) => Ok(line),
            Ok(Line::Bad(message)) => Err(self.failed(&message)),
            Ok(Line::End) | Err(RecvTimeoutError::Disconnected) => {
                let status = self.ended();
                Err(self.failed(&format!(
                    "the model ended ({status}) before its reply to {what}"
                )))
            }
            Err(RecvTimeoutError::Timeout) => Err(self.failed(&format!(
                "no reply to {what} within {} seconds; the model was stopped",
                self.patience.reply.as_secs()
            ))),
        }
    }

    /// How the process ended, waiting a moment for it.
    fn ended(&mut self) -> String {
        for _ in 0..100 {
            if let Ok(Some(status)) = self.child.try_wait() {
                return status.to_string();
            }
            thread::sleep(Duration::from_millis(10));
        }
        "its output is closed".to_owned()
    }

    /// Stops the process; the message with its last words.
    fn failed(&mut self, message: &str) -> Broken {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A moment for the thread that passes stderr on.
        thread::sleep(Duration::from_millis(50));
        let last: Vec<String> = self
            .kept
            .lock()
            .map(|kept| kept.iter().cloned().collect())
            .unwrap_or_default();
        if last.is_empty() {
            Broken(format!("model: {message}"))
        } else {
            Broken(format!(
                "model: {message}; its last lines on stderr:\n  {}",
                last.join("\n  ")
            ))
        }
    }

    fn wrong(&mut self, line: &str, what: &str) -> Broken {
        let shown: String = line.chars().take(SHOWN).collect();
        let dots = if line.chars().count() > SHOWN {
            ".."
        } else {
            ""
        };
        self.failed(&format!(
            "{what}, in the line `{}{dots}`",
            printable(&shown)
        ))
    }

    /// Says bye and waits; then stops it.
    pub fn bye(mut self) {
        let _ = self.send("{\"op\":\"bye\"}".to_owned());
        self.requests = None;
        let end = Instant::now() + self.patience.grace;
        while Instant::now() < end {
            if let Ok(Some(_)) = self.child.try_wait() {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.requests = None;
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Oracle for Process {
    fn hello(&self) -> &Hello {
        &self.hello
    }

    fn ask(&mut self, asks: &[Ask]) -> Result<Vec<Reply>, Broken> {
        let batch = usize::try_from(self.hello.batch).unwrap_or(1);
        let mut replies: Vec<Option<Reply>> = vec![None; asks.len()];
        let mut open: BTreeMap<u64, usize> = BTreeMap::new();
        let mut sent = 0;
        while sent < asks.len() || !open.is_empty() {
            while sent < asks.len() && open.len() < batch {
                let id = self.next;
                self.next += 1;
                self.send(asks[sent].line(id))?;
                open.insert(id, sent);
                sent += 1;
            }
            let first = open.keys().next().copied().unwrap_or(0);
            let line = self.line(
                Instant::now() + self.patience.reply,
                &format!("request {first}"),
            )?;
            let (id, found) = reply(&line).map_err(|wrong| self.wrong(&line, &wrong))?;
            let Some(place) = open.remove(&id) else {
                return Err(self.wrong(
                    &line,
                    &format!("id {id} was not asked, or already answered"),
                ));
            };
            let fits = match (&asks[place], &found) {
                (_, Reply::Refused(_))
                | (Ask::Prefix(_), Reply::State(_))
                | (Ask::Run(_), Reply::Out(_)) => true,
                (Ask::Prefix(_), Reply::Out(_)) | (Ask::Run(_), Reply::State(_)) => false,
            };
            if !fits {
                return Err(self.wrong(&line, "a reply of the other kind"));
            }
            replies[place] = Some(found);
        }
        Ok(replies.into_iter().flatten().collect())
    }
}

/// The text with control characters spelt out.
fn printable(text: &str) -> String {
    text.chars()
        .flat_map(|c| {
            let escaped = c.is_control().then(|| c.escape_default());
            let plain = (!c.is_control()).then_some(c);
            escaped.into_iter().flatten().chain(plain)
        })
        .collect()
}

/// Hands over lines of at most [`LINE_LIMIT`] bytes, without their newline.
fn read_lines(mut stdout: impl BufRead, hand_over: &SyncSender<Line>) {
    loop {
        let mut bytes = Vec::new();
        let limit = LINE_LIMIT as u64 + 1;
        let line = match stdout.by_ref().take(limit).read_until(b'\n', &mut bytes) {
            Ok(0) => Line::End,
            Ok(_) if bytes.last() != Some(&b'\n') && bytes.len() > LINE_LIMIT => {
                Line::Bad(format!("a line over {LINE_LIMIT} bytes"))
            }
            Ok(_) if bytes.last() != Some(&b'\n') => {
                let text = String::from_utf8_lossy(&bytes);
                let shown: String = text.chars().take(SHOWN).collect();
                Line::Bad(format!(
                    "a partial line at the end: `{}`",
                    printable(&shown)
                ))
            }
            Ok(_) => {
                bytes.pop();
                match String::from_utf8(bytes) {
                    Ok(text) => Line::Text(text),
                    Err(error) => Line::Bad(format!(
                        "a line that is not UTF-8 at byte {}",
                        error.utf8_error().valid_up_to() + 1
                    )),
                }
            }
            Err(error) => Line::Bad(format!("reading its output failed: {error}")),
        };
        let last = !matches!(line, Line::Text(_));
        if hand_over.send(line).is_err() || last {
            return;
        }
    }
}

/// Copies stderr to ours, each line prefixed, and keeps the last ones.
fn pass_on(mut stderr: impl BufRead, kept: &Mutex<VecDeque<String>>) {
    loop {
        let mut bytes = Vec::new();
        match stderr.by_ref().take(1 << 16).read_until(b'\n', &mut bytes) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.trim_end_matches(['\n', '\r']);
        let _ = writeln!(std::io::stderr(), "model: {text}");
        if let Ok(mut kept) = kept.lock() {
            kept.push_back(text.chars().take(KEPT_LINE).collect());
            if kept.len() > KEPT {
                kept.pop_front();
            }
        }
    }
}
