//! The verifier: re-checks evidence from disk, with the naive evaluator alone.
//!
//! It rebuilds the game from the embedded files, compares digests, and recomputes every number; it believes none that it
//! finds. It cannot see the search: no threads, no hash maps, no solver.

mod count;
pub mod decomposition;
pub mod derive;
mod exact;
pub mod external;
mod flow;
pub mod lrat;
pub mod matrix;
mod model;
pub mod numbers;
pub mod one_protocol;
mod rank;
pub mod recursion;
mod reduction;
pub mod solve;

use crate::evidence::item::{Evidence, Raw};
use crate::evidence::scope::{Scope, Verdict};
use crate::evidence::shape::{Place, Rejection};
use crate::evidence::statement::{Kind, RawStatement, Statement, one_way_setting, plain_digest};
use crate::evidence::witness::{Unread, Witness};
use crate::evidence::{digest, gzip, ranges};
use crate::file::constants::Overrides;
use crate::file::expr::Limits;
use crate::file::setting::{self, Setting};
use crate::file::strategies::{self, Strategy};
use crate::file::{Fault, FileError, Source, Tree};
use crate::game::structure::{Code, Failure};
use num_bigint::BigUint;
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How much a verification may enumerate.
#[derive(Clone, Debug)]
pub struct Options {
    /// Most full inputs that are replayed.
    pub max_inputs: BigUint,
    /// Limits of expressions.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_inputs: BigUint::from(1u32 << 22),
            limits: Limits::default(),
        }
    }
}

/// Proof that a file was accepted. There is no public constructor: only this module makes one, and reports render nothing else.
#[derive(Clone, Debug)]
pub struct Checked {
    claim: String,
    verdict: Verdict,
    scope: Scope,
    statement: &'static str,
    subject: String,
    summary: String,
    trust: Vec<String>,
    content: Arc<Content>,
}

/// What an accepted file is about, as the verifier rebuilt it: the one thing that reports draw.
#[derive(Debug)]
pub struct Content {
    /// The file.
    pub witness: Witness,
    /// The statement, resolved.
    pub statement: Statement,
    /// The game, for statements about games and counts.
    pub setting: Option<Setting>,
    /// The protocol, for statements about one.
    pub strategy: Option<Strategy>,
    /// The objects of `evidence`, in the order of the file.
    pub evidence: Vec<Raw>,
}

impl Content {
    /// The object `number` of the evidence, its labels and slots resolved; `None` without a game.
    pub fn resolved(&self, number: usize) -> Option<Evidence> {
        let game = &self.setting.as_ref()?.game;
        let raw = self.evidence.get(number)?;
        // It was resolved before it was accepted.
        raw.resolve(game, &at(number, raw)).ok()
    }
}

impl Checked {
    /// Claim id.
    pub fn claim(&self) -> &str {
        &self.claim
    }

    /// The verdict that the evidence carries.
    pub fn verdict(&self) -> Verdict {
        self.verdict
    }

    /// For which quantifier.
    pub fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The kind of statement.
    pub fn statement(&self) -> &'static str {
        self.statement
    }

    /// What it is about, in a few words: `32 inputs`.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The evidence in a few words, every number recomputed: `family: 4 members > bound 3`.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// Steps that were not re-proved.
    pub fn trust(&self) -> &[String] {
        &self.trust
    }

    /// What was checked.
    pub fn content(&self) -> &Content {
        &self.content
    }
}

/// What became of one file.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// All of it was re-checked.
    Accepted(Checked),
    /// Something is wrong.
    Rejected(Rejection),
    /// Newer format, or more work than allowed; says which.
    NotChecked(String),
}

/// Why a check ended early.
#[derive(Debug)]
enum Stop {
    Rejected(Rejection),
    NotChecked(String),
}

impl From<Rejection> for Stop {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

impl Stop {
    /// A failed structure that stands at `at`.
    fn of_failure(at: &str, failure: Failure) -> Self {
        match failure {
            Failure::Violated(violation) => Self::Rejected(Rejection::of_violation(at, violation)),
            Failure::TooLarge(size) => Self::NotChecked(size.to_string()),
        }
    }
}

/// What the evidence is about, rebuilt.
struct Subject<'a> {
    statement: Statement,
    verdict: Verdict,
    setting: Option<Setting>,
    strategy: Option<Strategy>,
    digest: String,
    files: &'a BTreeMap<String, Vec<u8>>,
    options: &'a Options,
}

impl Subject<'_> {
    /// The game; the caller has made sure there is one.
    fn setting(&self) -> Result<&Setting, Stop> {
        self.setting
            .as_ref()
            .ok_or_else(|| Rejection::new("/spec", Code::Malformed, "no game", "a game").into())
    }

    fn resolve(&self, number: usize, raw: &Raw) -> Result<Evidence, Stop> {
        Ok(raw.resolve(&self.setting()?.game, &at(number, raw))?)
    }

    fn mismatch(&self, number: usize, found: &str, expected: &str) -> Stop {
        let pointer = if number == 0 {
            "/evidence".to_owned()
        } else {
            format!("/evidence/{number}")
        };
        let found = format!("{found} for `{}` {}", self.statement.kind(), self.verdict);
        Rejection::new(pointer, Code::KindMismatch, found, expected).into()
    }

    /// Compares the record of an enumeration, which is the only attached file.
    fn only_record(&self, right: &[u8]) -> Result<(), Stop> {
        let failed = |name: &str, found: &str| {
            Rejection::new(
                format!("/files/{name}"),
                Code::File,
                found,
                format!("{} only", ranges::FILE),
            )
        };
        let stored = self
            .files
            .get(ranges::FILE)
            .ok_or_else(|| failed(ranges::FILE, "no such file"))?;
        ranges::compare(stored, right)?;
        match self.files.keys().find(|name| *name != ranges::FILE) {
            None => Ok(()),
            Some(other) => Err(failed(other, "an attached file").into()),
        }
    }

    /// Refuses attached files where the evidence needs none.
    fn no_files(&self) -> Result<(), Stop> {
        match self.files.keys().next() {
            None => Ok(()),
            Some(name) => Err(Rejection::new(
                format!("/files/{name}"),
                Code::File,
                "an attached file",
                "no attached files",
            )
            .into()),
        }
    }
}

fn at(number: usize, raw: &Raw) -> String {
    format!("/evidence/{number}/{}", raw.kind())
}

/// Verifies the bytes of an evidence file; `name` is its file name, `files` the content of its folder.
pub fn verify_bytes(
    name: &str,
    bytes: &[u8],
    files: &BTreeMap<String, Vec<u8>>,
    options: &Options,
) -> Outcome {
    verify_repeated(name, bytes, files, options, None)
}

/// As [`verify_bytes`], with the command of an external model repeated.
pub fn verify_repeated(
    name: &str,
    bytes: &[u8],
    files: &BTreeMap<String, Vec<u8>>,
    options: &Options,
    repeated: Option<&mut external::Repeated<'_>>,
) -> Outcome {
    match check(name, bytes, files, options, repeated) {
        Ok(checked) => Outcome::Accepted(checked),
        Err(Stop::Rejected(rejection)) => Outcome::Rejected(rejection),
        Err(Stop::NotChecked(reason)) => Outcome::NotChecked(reason),
    }
}

fn check(
    name: &str,
    bytes: &[u8],
    files: &BTreeMap<String, Vec<u8>>,
    options: &Options,
    repeated: Option<&mut external::Repeated<'_>>,
) -> Result<Checked, Stop> {
    let (witness, sealed) = Witness::read(bytes).map_err(|unread| match unread {
        Unread::Rejected(rejection) => Stop::Rejected(rejection),
        Unread::NewerFormat(format) => {
            Stop::NotChecked(format!("format {format}; this program knows format 1"))
        }
    })?;
    if witness.spec.get(crate::evidence::external::MARK).is_some() {
        return external::check(name, witness, &sealed, files, repeated);
    }
    if witness.spec.get(crate::evidence::exact::MARK).is_some() {
        return exact::check(name, witness, &sealed, files);
    }
    // Shape of everything, before any content is looked at.
    let statement = RawStatement::read(&Place {
        at: "/statement".to_owned(),
        json: &witness.statement,
    })?;
    let evidence = witness
        .evidence
        .iter()
        .enumerate()
        .map(|(i, json)| {
            Raw::read(&Place {
                at: format!("/evidence/{i}"),
                json,
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    check_claim(name, &witness.claim)?;
    check_files(&witness, files)?;
    let subject = rebuild(&witness, statement, files, options)?;
    check_scope(&witness.scope, &subject.statement)?;
    let mut trust = Vec::new();
    let summary = match &subject.statement {
        Statement::Independent { .. } => flow::independent(&subject, &evidence)?,
        Statement::Cuts { .. } => flow::cuts(&subject, &evidence)?,
        Statement::Solvable | Statement::Unsolvable => {
            solve::check(&subject, &evidence, &mut trust)?
        }
        Statement::Correct | Statement::Wrong => one_protocol::check(&subject, &evidence)?,
        Statement::Count { .. } => count::check(&subject, &evidence)?,
        Statement::Decomposition(_) => decomposition::check(&subject, &evidence)?,
        Statement::Inequality { .. } | Statement::Parameters(_) => {
            numbers::check(&subject, &evidence)?
        }
        Statement::Derive(_) => derive::check(&subject, &evidence)?,
        Statement::Model(_) => model::check(&subject, &witness.spec, &evidence)?,
        Statement::Rank(_) => rank::check(&subject, &evidence)?,
        Statement::Recursion(_) => recursion::check(&subject, &evidence)?,
        Statement::Matrix(_) => matrix::check(&subject, &evidence)?,
        Statement::Reduction(_) => reduction::check(&subject, &evidence)?,
    };
    check_trust(&witness.trust, &trust)?;
    let seal = witness.seal_of(&sealed.tool);
    if sealed.seal != seal {
        return Err(Rejection::new("/seal", Code::Seal, sealed.seal, seal).into());
    }
    Ok(Checked {
        claim: witness.claim.clone(),
        verdict: witness.verdict,
        scope: witness.scope.clone(),
        statement: subject.statement.kind(),
        subject: describe(&subject),
        summary,
        trust: witness.trust.clone(),
        content: Arc::new(Content {
            witness,
            statement: subject.statement,
            setting: subject.setting,
            strategy: subject.strategy,
            evidence,
        }),
    })
}

fn describe(subject: &Subject<'_>) -> String {
    match (&subject.setting, &subject.statement) {
        (_, Statement::Matrix(claim)) if !claim.is_about_game() => claim.subject(),
        (
            _,
            Statement::Inequality { .. }
            | Statement::Parameters(_)
            | Statement::Derive(_)
            | Statement::Model(_)
            | Statement::Rank(_)
            | Statement::Recursion(_)
            | Statement::Reduction(_),
        )
        | (None, _) => String::new(),
        (Some(setting), Statement::Independent { .. } | Statement::Cuts { .. }) => {
            format!("{} slots", setting.game.slots().len())
        }
        (Some(setting), _) => match setting.game.inputs_size() {
            Ok(inputs) if inputs.bits() > 256 => {
                format!("a number of {} bits of inputs", inputs.bits())
            }
            Ok(inputs) => format!("{inputs} inputs"),
            Err(error) => error.to_string(),
        },
    }
}

/// The claim id is the file name up to its first dot; mutants carry a second part.
fn check_claim(name: &str, claim: &str) -> Result<(), Rejection> {
    let stem = name.split('.').next().unwrap_or(name);
    let legal = !claim.is_empty()
        && claim
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if legal && stem == claim {
        Ok(())
    } else {
        Err(Rejection::new(
            "/claim",
            Code::Claim,
            claim,
            format!("`{stem}`, as the file is called"),
        ))
    }
}

fn check_files(witness: &Witness, files: &BTreeMap<String, Vec<u8>>) -> Result<(), Rejection> {
    let wrong = |name: &str, found: String, expected: String| {
        Err(Rejection::new(
            format!("/files/{name}"),
            Code::File,
            found,
            expected,
        ))
    };
    if let Some(name) = files.keys().find(|name| !witness.files.contains_key(*name)) {
        return wrong(
            name,
            "a file in the folder".to_owned(),
            "listed files only".to_owned(),
        );
    }
    for (name, listed) in &witness.files {
        let Some(bytes) = files.get(name) else {
            return wrong(
                name,
                "no such file".to_owned(),
                "the listed file".to_owned(),
            );
        };
        if bytes.len() as u64 != listed.bytes {
            return wrong(
                name,
                format!("{} bytes", bytes.len()),
                format!("{} bytes", listed.bytes),
            );
        }
        let sha256 = digest::of_bytes(bytes);
        if listed.sha256 != sha256 {
            return wrong(name, listed.sha256.clone(), sha256);
        }
        let content = if gzip::is_compressed(name) {
            match gzip::content_digest(bytes) {
                Ok(content) => content,
                Err(error) => return wrong(name, error.to_string(), "one gzip member".to_owned()),
            }
        } else {
            sha256
        };
        if listed.content != content {
            return wrong(name, listed.content.clone(), content);
        }
    }
    Ok(())
}

/// The list of what is not re-proved must be the one that the evidence has.
fn check_trust(stored: &[String], right: &[String]) -> Result<(), Rejection> {
    let length = stored.len().max(right.len());
    match (0..length).find(|place| stored.get(*place) != right.get(*place)) {
        None => Ok(()),
        Some(place) => {
            let text = |list: &[String]| {
                list.get(place)
                    .map_or("the end of the list", |entry| entry)
                    .to_owned()
            };
            let (found, expected) = (text(stored), text(right));
            Err(Rejection::new(
                format!("/trust/{place}"),
                Code::Trust,
                found,
                expected,
            ))
        }
    }
}

fn check_scope(scope: &Scope, statement: &Statement) -> Result<(), Rejection> {
    let allowed = Kind::named(statement.kind()).map_or(&[] as &[&str], |kind| kind.scopes);
    let fits_range = match (statement.range(), scope) {
        (Some(range), Scope::ThisRange(text)) => !range.is_empty() && range == text,
        (Some(range), _) => range.is_empty(),
        (None, _) => true,
    };
    if allowed.contains(&scope.word()) && fits_range {
        Ok(())
    } else {
        let found = scope.to_json().to_string();
        Err(Rejection::new(
            "/scope",
            Code::ScopeMismatch,
            found,
            allowed.join(" or "),
        ))
    }
}

fn rebuild<'a>(
    witness: &Witness,
    statement: RawStatement,
    files: &'a BTreeMap<String, Vec<u8>>,
    options: &'a Options,
) -> Result<Subject<'a>, Stop> {
    let spec = Place {
        at: "/spec".to_owned(),
        json: &witness.spec,
    };
    let about_game = match &statement {
        RawStatement::Flow { .. } => true,
        RawStatement::Ready(statement) => statement.is_about_game(),
    };
    let with_strategy =
        matches!(&statement, RawStatement::Ready(statement) if statement.needs_strategy());
    let (mut setting, mut strategy) = (None, None);
    if about_game {
        let keys: &[&str] = if with_strategy {
            &["game", "strategy"]
        } else {
            &["game"]
        };
        spec.object(keys, &[])?;
        spec.get("game")?
            .object(&[], &["family", "game", "let", "task"])?;
        let source = Source::new("spec", "");
        let file = Tree::from_json(&witness.spec["game"]);
        let built =
            setting::resolve(&source, &file, &Overrides::new(), options.limits).map_err(unbuilt)?;
        if with_strategy {
            spec.get("strategy")?.object(&["strategy"], &["let"])?;
            let file = Tree::from_json(&witness.spec["strategy"]);
            let resolved =
                strategies::resolve(&source, &file, &built, &Overrides::new(), options.limits);
            strategy = Some(resolved.map_err(unbuilt)?);
        }
        setting = Some(built);
    } else {
        if matches!(&statement, RawStatement::Ready(Statement::Model(_))) {
            spec.object(&["config"], &[])?;
        } else {
            spec.object(&[], &[])?;
        }
        // Nothing has to be built for this digest, so a changed statement is found whatever its size.
        let digest = plain_digest(&witness.spec, &witness.statement);
        if digest != witness.digest {
            return Err(
                Rejection::new("/digest", Code::Digest, witness.digest.clone(), digest).into(),
            );
        }
    }
    let statement = statement.resolve(setting.as_ref().map(|setting| &*setting.game))?;
    if let Statement::Count {
        task: Some(task), ..
    } = &statement
    {
        setting = Some(one_way_setting(task, options.limits).map_err(unbuilt)?);
        let again = setting.as_ref().map(|setting| setting.task_json.clone());
        if again.as_ref() != Some(task) {
            let expected = again.unwrap_or(Json::Null).to_string();
            return Err(Rejection::new(
                "/statement/count/task",
                Code::Malformed,
                task.to_string(),
                expected,
            )
            .into());
        }
    }
    let digest = if about_game {
        let resolved = strategy
            .as_ref()
            .map_or(Json::Null, |strategy| strategy.resolved.clone());
        setting.as_ref().map_or(String::new(), |setting| {
            digest::of_json(&setting.resolved(&resolved))
        })
    } else {
        plain_digest(&witness.spec, &witness.statement)
    };
    if digest != witness.digest {
        return Err(Rejection::new("/digest", Code::Digest, witness.digest.clone(), digest).into());
    }
    Ok(Subject {
        statement,
        verdict: witness.verdict,
        setting,
        strategy,
        digest,
        files,
        options,
    })
}

fn unbuilt(error: FileError) -> Stop {
    match error.fault {
        Fault::Size => Stop::NotChecked(error.message),
        Fault::Input => Stop::Rejected(Rejection::new(
            "/spec",
            Code::Malformed,
            error.message,
            "a spec that builds",
        )),
    }
}

/// Verifies an evidence file on disk, with the files of its folder.
///
/// # Errors
/// When the file or its folder cannot be read.
pub fn verify_path(path: &Path, options: &Options) -> io::Result<Outcome> {
    verify_path_repeated(path, options, None)
}

/// As [`verify_path`], with the command of an external model repeated.
///
/// # Errors
/// As [`verify_path`].
pub fn verify_path_repeated(
    path: &Path,
    options: &Options,
    repeated: Option<&mut external::Repeated<'_>>,
) -> io::Result<Outcome> {
    let bytes = fs::read(path)?;
    let folder = path.with_extension("");
    let mut files = BTreeMap::new();
    if folder.is_dir() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            files.insert(name, fs::read(entry.path())?);
        }
    }
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    Ok(verify_repeated(&name, &bytes, &files, options, repeated))
}

/// The evidence files at and below a path, sorted; a folder `mutants` is entered only when it is the path itself.
///
/// # Errors
/// When a folder cannot be read.
pub fn evidence_files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        // A path that does not exist is found out when it is read.
        return Ok(vec![path.to_owned()]);
    }
    let mut entries: Vec<PathBuf> = fs::read_dir(path)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    entries.sort();
    let mut found = Vec::new();
    for entry in &entries {
        let name = entry
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if entry.is_dir() {
            // `<claim>/` holds the attached files of `<claim>.json`.
            let attached = entries.contains(&entry.with_file_name(format!("{name}.json")));
            if name != "mutants" && !attached {
                found.extend(evidence_files(entry)?);
            }
        } else if entry
            .extension()
            .is_some_and(|extension| extension == "json")
        {
            found.push(entry.clone());
        }
    }
    Ok(found)
}

/// The digest and resolved object of a case, as evidence carries them.
pub fn digest_of(
    setting: Option<&Setting>,
    strategy: Option<&Strategy>,
    about_game: bool,
    spec: &Json,
    statement: &Json,
) -> String {
    match setting {
        Some(setting) if about_game => {
            let resolved = strategy.map_or(json!(null), |strategy| strategy.resolved.clone());
            digest::of_json(&setting.resolved(&resolved))
        }
        Some(_) | None => plain_digest(spec, statement),
    }
}
