//! `merge`: the checkpoints of shards, joined.

use crate::cli::args::MergeArgs;
use crate::cli::{Context, Failure, Output};

#[cfg(not(feature = "cadical"))]
pub(super) fn run(_: &MergeArgs, _: &Context) -> Result<Output, Failure> {
    Err(Failure::TooLarge("built without the SAT solver".to_owned()))
}

#[cfg(feature = "cadical")]
pub(super) fn run(args: &MergeArgs, context: &Context) -> Result<Output, Failure> {
    use crate::audit::cubes::{Parameters, Talk, settle};
    use crate::cli::solve::{Wanted, checkpoint_failure, from_spec, outcome};
    use crate::search::checkpoint::read;
    use crate::search::sat::kept::Kept;
    use crate::search::solve::Stats;
    use std::sync::Arc;

    let kept = Kept::empty();
    let mut whole: Option<Parameters> = None;
    for path in &args.files {
        let (contents, _) = read(path).map_err(|error| checkpoint_failure(&error))?;
        let parameters =
            Parameters::read(path, &contents).map_err(|error| checkpoint_failure(&error))?;
        let found = parameters.whole();
        if let Some(first) = whole.as_ref().filter(|first| **first != found) {
            return Err(Failure::Usage(format!(
                "{}: another run than {}: game {} against {}, {} cubes against {}",
                path.display(),
                args.files[0].display(),
                found.digest,
                first.digest,
                found.cut.cubes,
                first.cut.cubes
            )));
        }
        kept.learn(path, &contents)
            .map_err(|error| checkpoint_failure(&error))?;
        whole = Some(found);
    }
    let Some(parameters) = whole else {
        return Err(Failure::Usage("no checkpoint".to_owned()));
    };
    let setting = from_spec(&parameters.claim, &parameters.game, context)?;
    let mut stats = Stats::default();
    let talk = Talk {
        stop: &Arc::default(),
        progress: &|_, _| {},
        solve: false,
    };
    let found = settle(
        &setting,
        &parameters,
        &kept,
        &talk,
        &context.options(),
        &mut stats,
    )
    .map_err(|failure| Failure::TooLarge(failure.to_string()))?;
    let wanted = Wanted {
        claim: &parameters.claim,
        name: &parameters.claim,
        proof: args.proof.as_deref(),
        save: None,
        svg: None,
        expect: args.expect,
    };
    outcome(&setting, found, &wanted, &stats)
}
