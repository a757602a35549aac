//! The page in a real browser: no error, no request, filters, steps, both colour schemes, narrow and wide, without a script, printed.
//!
//! Chromium is driven over its debugging pipe: messages of JSON that end in a zero byte. Without Chromium the test says so and
//! passes; `CHROMIUM=PATH` names one, and an empty one asks for the skip. Pictures of the page are left under `target/tmp/`.
#![cfg(feature = "search")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use serde_json::{Value as Json, json};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use tempfile::TempDir;

fn chromium() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("CHROMIUM") {
        return (!named.is_empty()).then(|| PathBuf::from(named));
    }
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .flat_map(|folder| names.map(|name| folder.join(name)))
        .find(|file| file.is_file())
}

/// A browser with one page.
struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    sent: u64,
    events: Vec<Json>,
    _profile: TempDir,
}

impl Browser {
    fn start(program: &Path) -> Self {
        let profile = TempDir::new().unwrap();
        // The pipe is on the descriptors 3 and 4, which a shell can rename to.
        let mut child = Command::new("sh")
            .arg("-c")
            .arg("exec \"$0\" \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>/dev/null")
            .arg(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
            ])
            .args([
                "--hide-scrollbars",
                "--no-first-run",
                "--remote-debugging-pipe",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let to = child.stdin.take().unwrap();
        let from = BufReader::new(child.stdout.take().unwrap());
        let mut browser = Self {
            child,
            to,
            from,
            session: None,
            sent: 0,
            events: Vec::new(),
            _profile: profile,
        };
        let target =
            browser.call("Target.createTarget", &json!({"url": "about:blank"}))["targetId"].clone();
        let attached = browser.call(
            "Target.attachToTarget",
            &json!({"targetId": target, "flatten": true}),
        );
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_owned());
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    fn call(&mut self, method: &str, params: &Json) -> Json {
        self.sent += 1;
        let id = self.sent;
        let mut message = json!({"id": id, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(&[0]).unwrap();
        self.to.flush().unwrap();
        loop {
            let message = self.read();
            if message["id"] == json!(id) {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    fn read(&mut self) -> Json {
        let mut bytes = Vec::new();
        self.from.read_until(0, &mut bytes).unwrap();
        bytes.pop();
        serde_json::from_slice(&bytes).expect("the browser has ended")
    }

    fn open(&mut self, page: &Path, width: u64, dark: bool) {
        self.call(
            "Emulation.setDeviceMetricsOverride",
            &json!({"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}),
        );
        let scheme = if dark { "dark" } else { "light" };
        self.call(
            "Emulation.setEmulatedMedia",
            &json!({"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]}),
        );
        let url = format!("file://{}", page.display());
        self.call("Page.navigate", &json!({"url": url}));
        while !self
            .events
            .iter()
            .any(|event| event["method"] == "Page.loadEventFired")
        {
            let event = self.read();
            self.events.push(event);
        }
        self.check_events();
    }

    /// Nothing was complained of, and nothing but the page was asked for.
    fn check_events(&mut self) {
        for event in self.events.drain(..) {
            match event["method"].as_str().unwrap_or("") {
                "Runtime.exceptionThrown" | "Log.entryAdded" => panic!("{event}"),
                "Runtime.consoleAPICalled" => {
                    assert_ne!(event["params"]["type"], "error", "{event}")
                }
                "Network.requestWillBeSent" => {
                    let url = event["params"]["request"]["url"].as_str().unwrap();
                    assert!(
                        url.starts_with("file:") || url.starts_with("data:"),
                        "{url}"
                    );
                }
                _ => {}
            }
        }
    }

    fn eval(&mut self, expression: &str) -> Json {
        let result = self.call(
            "Runtime.evaluate",
            &json!({"expression": expression, "returnByValue": true}),
        );
        assert!(
            result["exceptionDetails"].is_null(),
            "{expression}: {result}"
        );
        result["result"]["value"].clone()
    }

    fn press(&mut self, key: &str) {
        for kind in ["keyDown", "keyUp"] {
            self.call("Input.dispatchKeyEvent", &json!({"type": kind, "key": key, "text": if kind == "keyDown" { key } else { "" }}));
        }
    }

    fn picture(&mut self, name: &str) {
        let result = self.call("Page.captureScreenshot", &json!({"format": "png"}));
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::write(file, base64(result["data"].as_str().unwrap())).unwrap();
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn base64(text: &str) -> Vec<u8> {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut held) = (Vec::new(), 0u32, 0);
    for digit in text
        .bytes()
        .filter_map(|byte| DIGITS.iter().position(|digit| *digit == byte))
    {
        bits = bits << 6 | u32::try_from(digit).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xff) as u8);
        }
    }
    out
}

fn report(folder: &Path) -> PathBuf {
    let page = folder.join("report.html");
    let output = Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .args(["report", "--out"])
        .arg(&page)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    page
}

#[test]
fn the_page_works_in_a_browser() {
    let Some(program) = chromium() else {
        eprintln!("skipped: no Chromium here");
        return;
    };
    let folder = TempDir::new().unwrap();
    let page = report(folder.path());
    let mut browser = Browser::start(&program);
    let mut grounds = Vec::new();
    for (width, dark) in [(1280, false), (1280, true), (390, false), (390, true)] {
        browser.open(&page, width, dark);
        let name = format!("{width}-{}", if dark { "dark" } else { "light" });
        // Nothing is wider than the window; wide tables and pictures scroll inside.
        assert_eq!(
            browser.eval("document.documentElement.scrollWidth - innerWidth"),
            0,
            "{name}"
        );
        grounds.push(browser.eval("getComputedStyle(document.body).backgroundColor"));
        browser.picture(&format!("{name}-top.png"));
        for id in [
            "BASE-A1",
            "FF-LOOKUP",
            "CUTS-A1",
            "EVA-SMALL-n3",
            "FR-14",
            "B2-A1-L2",
        ] {
            browser.eval(&format!(
                "document.getElementById('{id}').scrollIntoView({{block: 'start'}})"
            ));
            browser.picture(&format!("{name}-{id}.png"));
        }
    }
    assert!(
        grounds[0] == grounds[2] && grounds[1] == grounds[3] && grounds[0] != grounds[1],
        "{grounds:?}"
    );
    browser.open(&page, 1280, false);
    filters(&mut browser);
    steps(&mut browser);
    browser.check_events();
    print(&mut browser);
    without_script(&mut browser, &page);
}

fn filters(browser: &mut Browser) {
    let shown =
        "[...document.querySelectorAll('.verdicts tbody tr')].filter((row) => !row.hidden).length";
    let all = browser.eval(shown).as_u64().unwrap();
    let choose = |browser: &mut Browser, name: &str, value: &str| {
        browser.eval(&format!("{{const form = document.getElementById('filters'); form.elements['{name}'].value = '{value}'; form.dispatchEvent(new Event('input'))}}"));
    };
    for (name, value) in [
        ("verdict", "refuted"),
        ("paper", "derived"),
        ("scope", "this protocol"),
        ("kind", "count"),
    ] {
        choose(browser, name, value);
        let wanted = browser.eval(&format!(
            "document.querySelectorAll('.verdicts tr[data-{name}=\"{value}\"]').length"
        ));
        let seen = browser.eval(shown);
        assert!(
            seen == wanted && seen.as_u64().unwrap() > 0 && seen.as_u64().unwrap() < all,
            "{name}: {seen} of {wanted}"
        );
        // The sections follow the rows.
        let sections = browser.eval("[...document.querySelectorAll('article')].filter((section) => section.offsetHeight > 0).length");
        assert_eq!(sections, wanted);
        choose(browser, name, "");
    }
    choose(browser, "text", "base-a1-control");
    assert_eq!(browser.eval(shown), 1);
    assert_eq!(
        browser.eval("document.getElementById('shown').textContent"),
        format!("1 of {all} shown")
    );
    choose(browser, "text", "");
    assert_eq!(browser.eval(shown), all);
}

fn steps(browser: &mut Browser) {
    browser.eval("document.querySelector('#FF-LOOKUP .steps').scrollIntoView({block: 'center'})");
    let say = "document.querySelector('#FF-LOOKUP .bar span').textContent";
    let seen = "[...document.querySelectorAll('#FF-LOOKUP .run:first-child g.step')].filter((step) => getComputedStyle(step).visibility === 'visible').length";
    let known = "[...document.querySelectorAll('#FF-LOOKUP .run:first-child dd code.step')].filter((step) => getComputedStyle(step).visibility === 'visible').length";
    let last = browser
        .eval("Number(document.querySelector('#FF-LOOKUP .steps').dataset.steps)")
        .as_u64()
        .unwrap();
    assert!(last > 2);
    assert_eq!(browser.eval(seen), last);
    for step in 1..=3 {
        browser.press("j");
        assert_eq!(browser.eval(say), format!("step {step} of {last}"));
        assert_eq!(
            (browser.eval(seen), browser.eval(known)),
            (json!(step), json!(step))
        );
    }
    browser.press("k");
    assert_eq!(browser.eval(seen), 2);
    browser.picture("step.png");
    browser.eval("document.querySelector('#FF-LOOKUP .bar button:last-of-type').click()");
    assert_eq!(browser.eval(seen), last);
    browser.press("/");
    assert_eq!(browser.eval("document.activeElement.name"), "text");
}

fn print(browser: &mut Browser) {
    browser.call(
        "Emulation.setEmulatedMedia",
        &json!({"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]}),
    );
    assert_eq!(
        browser.eval("getComputedStyle(document.getElementById('filters')).display"),
        "none"
    );
    assert_eq!(
        browser.eval("getComputedStyle(document.body).color"),
        "rgb(27, 31, 36)"
    );
}

fn without_script(browser: &mut Browser, page: &Path) {
    browser.call(
        "Emulation.setScriptExecutionDisabled",
        &json!({"value": true}),
    );
    browser.open(page, 390, false);
    assert_eq!(
        browser.eval("document.getElementById('filters').offsetHeight"),
        0
    );
    assert_eq!(browser.eval("document.querySelectorAll('.bar').length"), 0);
    let hidden = "[...document.querySelectorAll('article, .verdicts tbody tr, g.step')].filter((part) => part.getBoundingClientRect().height === 0 || getComputedStyle(part).visibility !== 'visible').length";
    assert_eq!(browser.eval(hidden), 0);
}
