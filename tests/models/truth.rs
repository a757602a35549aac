//! The rows of the ground truth, through the library: layers, bits, lengths, the theorem; and the block-sparse rows.

use foolproof::bounds::need::{Sparse, largest_sparse_length};
use foolproof::exact::count::bits;
use foolproof::models::account::{Account, Precision, States, Theorem, largest};
use foolproof::models::config::{self, Letter, Model, Node};
use foolproof::models::layer::Role;
use num_bigint::BigUint;
use serde_json::{Value as Json, json};

fn truth() -> Json {
    serde_json::from_str(include_str!("../data/model-states.json")).unwrap()
}

pub(crate) fn shipped(name: &str) -> Model {
    let path = format!(
        "{}/protocols/models/{name}.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let node = Node::parse(&std::fs::read_to_string(path).unwrap()).unwrap();
    config::read(&node, false, None).unwrap()
}

/// The fields of the truth file, computed here.
fn row(model: &Model) -> Json {
    let account = Account::of(model);
    let precision = Precision::of(model, None, None);
    let number = |n: &BigUint| Json::from(u64::try_from(n).unwrap());
    let recurrent: Vec<_> = account
        .rows
        .iter()
        .filter(|row| row.letter != Letter::Full && !row.window)
        .collect();
    let parts: serde_json::Map<String, Json> = recurrent[0]
        .parts
        .iter()
        .map(|part| {
            let body = json!({
                "scalars": number(&part.scalars),
                "bits_per_scalar": precision.bits(part.role),
                "stored_scalars": number(&part.stored),
            });
            (part.role.word().to_owned(), body)
        })
        .collect();
    let thresholds = |precision: &Precision| {
        let found = largest(
            &States::Bits(account.bounded_bits(precision)),
            &[2, 32000, 151_936],
        )
        .unwrap();
        let at = |key: &str| number(&found.tasks.iter().find(|(name, _)| *name == key).unwrap().1);
        let copy: serde_json::Map<String, Json> = found
            .copy
            .iter()
            .map(|(v, n)| (v.to_string(), number(n)))
            .collect();
        json!({
            "bits": number(&account.bounded_bits(precision)),
            "eva_max_n": at("eva"),
            "percom_max_n": at("percom"),
            "two_sum_M_n2_paper_max_n": at("two_sum_n2"),
            "two_sum_M_n2_allsets_max_n": at("two_sum_n2_all"),
            "two_sum_M_eq_n_max_n": at("two_sum_n"),
            "copy_max_tokens": copy,
        })
    };
    let full = account.indices(|row| row.letter != Letter::Recurrent);
    let own = account.indices(|row| row.letter != Letter::Full && !row.window);
    let mut json = json!({
        "n_full_attention": full.len(),
        "full_attention_layers_0idx": full,
        "n_recurrent": own.len(),
        "recurrent_layers_0idx": own,
        "per_layer": parts,
        "per_layer_scalars": number(&recurrent[0].scalars()),
        "per_layer_bits": number(&recurrent[0].bits(&precision)),
        "total_recurrent_scalars": number(&account.recurrent_scalars()),
        "recurrent_state_bits": number(&account.recurrent_bits(&precision)),
        "recurrent_matrix_only_bits": number(&account.matrix_bits(&precision)),
        "all_bf16_bits": number(&account.recurrent_bits(&Precision::uniform(16))),
        "all_fp32_bits": number(&account.recurrent_bits(&Precision::uniform(32))),
        "sliding_window_scalars": number(&account.window_scalars()),
        "bounded_state_bits": number(&account.bounded_bits(&precision)),
        "thresholds": {
            "bounded_state": thresholds(&precision),
            "all_bf16_recurrent": thresholds(&Precision::uniform(16)),
        },
    });
    if let Some(context) = model.max_context {
        json["max_context"] = context.into();
    }
    if let Some(theorem) = Theorem::of(&account, model.layers.attention.as_ref(), &precision) {
        json["layout_runs_a0_a1_to_ar"] = json!(account.signature);
        let (floor, _) = theorem.min_log2_n.clone().unwrap();
        let c = theorem.c.clone().unwrap();
        json["hybrid_theorem"] = json!({
            "r_full": account.full_layers(),
            "identity_prefix_needed": theorem.identity,
            "L": theorem.steps,
            "exponent_denominator_log2": theorem.exponent,
            "c_bits": number(&c),
            "min_log2_n": format!("2^{} * log2({c})", theorem.exponent),
            "min_log2_n_floor": u64::try_from(floor).unwrap(),
            "A_log2": theorem.run_log2,
            "max_run": theorem.max_run,
            "C_bits_per_recurrent_layer": number(&theorem.layer_bits),
            "C_le_2c2": theorem.layer_holds.unwrap(),
        });
    }
    json
}

#[test]
fn models_agree_to_the_last_digit() {
    let names = [
        ("Jamba-v0.1", "jamba-v0.1"),
        ("LFM2-1.2B", "lfm2-1.2b"),
        ("RWKV-7-0.4B (L24-D1024)", "rwkv7-0.4b"),
        ("mamba-130m", "mamba-130m"),
    ];
    let truth = truth();
    let models = truth["models"].as_array().unwrap();
    assert_eq!(models.len(), names.len());
    for model in models {
        let (_, file) = names
            .iter()
            .find(|(name, _)| model["name"] == *name)
            .unwrap();
        let found = row(&shipped(file));
        for (key, value) in found.as_object().unwrap() {
            assert_eq!(*value, model[key], "{file}: {key}");
        }
    }
}

#[test]
fn block_sparse_rows_agree() {
    for row in truth()["sparse"].as_array().unwrap() {
        let block = row["block_size_B"].as_u64().unwrap();
        let read = row["selected_k"].as_u64().unwrap();
        let summary = row["summary_bits_per_block_per_layer"].as_u64().unwrap();
        let largest = largest_sparse_length(block, summary).unwrap();
        let shown = largest.map_or(">=2^64".to_owned(), |n| n.to_string());
        assert_eq!(row["largest_n_counting"], json!(shown));
        for (n, floor) in row["needed_bits_log2_sum_C(n,j)_floor"]
            .as_object()
            .unwrap()
        {
            let n: u64 = n.parse().unwrap();
            // Counted as if a block were not read, whatever q is.
            let game = Sparse {
                block: block.into(),
                domain: n.into(),
                blocks: BigUint::from(n / block),
                read: BigUint::ZERO,
            };
            let states = game.shared_map().unwrap();
            assert_eq!(states.bits() - 1, floor.as_u64().unwrap(), "n = {n}");
            if let Some(excluded) = row["excluded"].get(n.to_string()) {
                let found = n / block > read && bits(&states) > summary;
                assert_eq!(*excluded, json!(found), "n = {n}");
            }
        }
    }
}

#[test]
fn shipped_configurations_are_read_and_all_roles_occur() {
    let folder = format!("{}/protocols/models", env!("CARGO_MANIFEST_DIR"));
    let (mut models, mut roles) = (0, std::collections::BTreeSet::new());
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains("note"), "{} names no source", path.display());
        if path
            .extension()
            .is_some_and(|extension| extension == "toml")
            || text.contains("\"summary\"")
        {
            continue;
        }
        models += 1;
        let node = Node::parse(&text).unwrap();
        let model =
            config::read(&node, false, None).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        // The form inside evidence reads the same.
        let again = config::read(&Node::from_spec(&node.to_spec()), false, None).unwrap();
        assert_eq!(again.layers, model.layers, "{}", path.display());
        let account = Account::of(&model);
        roles.extend(
            account
                .rows
                .iter()
                .flat_map(|row| &row.parts)
                .map(|part| part.role),
        );
    }
    assert!(models >= 25, "{models}");
    assert_eq!(roles.len(), Role::ALL.len());
}
