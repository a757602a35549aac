//! Every model type with one worked file, and every trap of the layer patterns with a file that is refused or read right.

use foolproof::models::account::{Account, Precision};
use foolproof::models::config::{self, Model, Node};

fn read(text: &str) -> Result<Model, String> {
    config::read(&Node::parse(text).unwrap(), false, None).map_err(|refusal| refusal.to_string())
}

fn with_defaults(text: &str) -> Model {
    config::read(&Node::parse(text).unwrap(), true, None).unwrap()
}

/// Letters, numbers of the first and of all recurrent layers.
fn account(text: &str) -> (String, u64, u64) {
    let model = read(text).unwrap_or_else(|refusal| panic!("{refusal}: {text}"));
    let account = Account::of(&model);
    let letters = account.rows.iter().map(|row| row.letter.word()).collect();
    let first = account.rows.iter().find(|row| !row.parts.is_empty());
    let first = first.map_or(0, |row| u64::try_from(row.scalars()).unwrap());
    let all: u64 = account
        .rows
        .iter()
        .map(|row| u64::try_from(row.scalars()).unwrap())
        .sum();
    (letters, first, all)
}

fn refused(text: &str, message: &str) {
    let refusal = read(text).expect_err(text);
    assert!(
        refusal.starts_with(message),
        "{refusal}\nexpected {message}"
    );
}

const QWEN: &str = r#""linear_num_key_heads":2,"linear_num_value_heads":4,"linear_key_head_dim":8,"linear_value_head_dim":16,"linear_conv_kernel_dim":4"#;

#[test]
fn one_worked_file_for_each_model_type() {
    // H_v dk dv + (K-1)(2 H_k dk + H_v dv) = 4*8*16 + 3*(2*2*8 + 4*16) = 512 + 288
    let qwen = format!(
        r#"{{"model_type":"qwen3_next","num_hidden_layers":8,"full_attention_interval":4,{QWEN}}}"#
    );
    assert_eq!(account(&qwen), ("RRRFRRRF".into(), 800, 4800));
    let nested = format!(
        r#"{{"model_type":"qwen3_5","text_config":{{"model_type":"qwen3_5_text","layer_types":["linear_attention","full_attention"],{QWEN}}}}}"#
    );
    assert_eq!(account(&nested), ("RF".into(), 800, 800));
    let olmo = format!(
        r#"{{"model_type":"olmo_hybrid","num_hidden_layers":2,"layer_types":["full_attention","linear_attention"],{QWEN}}}"#
    );
    assert_eq!(account(&olmo), ("FR".into(), 800, 800));
    let rows: &[(&str, &str, u64)] = &[
        // H d d + (K-1) 3 H d = 2*16 + 3*24
        (
            r#"{"model_type":"kimi_linear","num_hidden_layers":3,"hidden_size":8,"num_attention_heads":2,"qk_nope_head_dim":4,"qk_rope_head_dim":2,
            "linear_attn_config":{"full_attn_layers":[3],"kda_layers":[1,2],"num_heads":2,"head_dim":4,"short_conv_kernel_size":4}}"#,
            "RRF",
            104,
        ),
        // d_inner d_state + (K-1) d_inner = 16*4 + 3*16
        (
            r#"{"model_type":"jamba","num_hidden_layers":4,"hidden_size":8,"attn_layer_period":2,"attn_layer_offset":1,"mamba_expand":2,"mamba_d_state":4,"mamba_d_conv":4}"#,
            "RFRF",
            112,
        ),
        // d_inner d_state + (K-1)(d_inner + 2 G d_state) = 16*4 + 3*(16 + 8); a hybrid position is F, then R
        (
            r#"{"model_type":"zamba2","num_hidden_layers":3,"hidden_size":8,"num_attention_heads":4,"mamba_expand":2,"mamba_d_state":4,"mamba_d_conv":4,"mamba_ngroups":1,
            "layers_block_type":["mamba","hybrid","mamba"]}"#,
            "RFRR",
            136,
        ),
        (
            r#"{"model_type":"bamba","num_hidden_layers":3,"hidden_size":8,"attn_layer_indices":[1],"mamba_expand":2,"mamba_n_heads":4,"mamba_d_head":"auto","mamba_n_groups":1,"mamba_d_state":4,"mamba_d_conv":4}"#,
            "RFR",
            136,
        ),
        (
            r#"{"model_type":"bamba","num_hidden_layers":2,"hidden_size":8,"attn_layer_indices":null,"mamba_expand":2,"mamba_n_groups":1,"mamba_d_state":4,"mamba_d_conv":4}"#,
            "RR",
            136,
        ),
        (
            r#"{"model_type":"granitemoehybrid","hidden_size":8,"layers_block_type":["mamba","attention"],"mamba_expand":2,"mamba_n_heads":4,"mamba_d_head":4,"mamba_n_groups":1,"mamba_d_state":4,"mamba_d_conv":4}"#,
            "RF",
            136,
        ),
        // 24*4 + 3*(24 + 8): heads * head_dim, not expand * hidden_size
        (
            r#"{"model_type":"nemotron_h","hybrid_override_pattern":"M-*EM","mtp_hybrid_override_pattern":"*E","num_hidden_layers":5,"hidden_size":8,"expand":2,"mamba_num_heads":6,"mamba_head_dim":4,"ssm_state_size":4,"n_groups":1,"conv_kernel":4}"#,
            "RFR",
            192,
        ),
        (
            r#"{"model_type":"minimax_text_01","attn_type_list":[0,1],"num_attention_heads":3,"head_dim":4,"hidden_size":100}"#,
            "RF",
            48,
        ),
        (
            r#"{"model_type":"falcon_h1","num_hidden_layers":2,"hidden_size":8,"mamba_d_ssm":16,"mamba_n_heads":4,"mamba_d_head":4,"mamba_n_groups":1,"mamba_d_state":4,"mamba_d_conv":4}"#,
            "PP",
            136,
        ),
        (
            r#"{"model_type":"falcon_h1","num_hidden_layers":1,"hidden_size":8,"mamba_d_ssm":null,"mamba_expand":2,"mamba_n_groups":1,"mamba_d_state":4,"mamba_d_conv":4}"#,
            "P",
            136,
        ),
        (
            r#"{"model_type":"lfm2","layer_types":["conv","full_attention"],"hidden_size":8,"conv_L_cache":3}"#,
            "RF",
            16,
        ),
        // lru_width + (K-1) lru_width
        (
            r#"{"model_type":"recurrent_gemma","num_hidden_layers":4,"hidden_size":8,"num_attention_heads":2,"num_key_value_heads":1,"lru_width":10,"conv1d_width":4,"attention_window_size":5,"block_types":["recurrent","recurrent","attention"]}"#,
            "RRRR",
            40,
        ),
        // 3 h_att + 2 h
        (
            r#"{"model_type":"rwkv","num_hidden_layers":1,"hidden_size":8,"attention_hidden_size":4}"#,
            "R",
            28,
        ),
        // H dk dv + 2 h = 2*2*4 + 16
        (
            r#"{"model_type":"rwkv6","num_hidden_layers":1,"hidden_size":8,"num_heads":2,"expand_k":0.5,"expand_v":1.0}"#,
            "R",
            32,
        ),
        // head_dim value_dim + 2 h
        (
            r#"{"model_type":"rwkv7","num_hidden_layers":2,"hidden_size":8,"num_heads":2,"value_dim":[16,8]}"#,
            "RR",
            80,
        ),
        (
            r#"{"model_type":"mamba","num_hidden_layers":1,"hidden_size":8,"expand":2,"intermediate_size":16,"state_size":4,"conv_kernel":4}"#,
            "R",
            112,
        ),
        (
            r#"{"d_model":8,"n_layer":2,"ssm_cfg":{"layer":"Mamba1","d_state":4,"d_conv":4,"expand":2},"attn_layer_idx":[0]}"#,
            "FR",
            112,
        ),
        (
            r#"{"d_model":8,"n_layer":1,"ssm_cfg":{"layer":"Mamba2","d_state":4,"d_conv":4,"expand":2,"ngroups":1}}"#,
            "R",
            136,
        ),
        (
            r#"{"model_type":"mamba2","num_hidden_layers":1,"hidden_size":8,"expand":2,"num_heads":4,"head_dim":4,"state_size":4,"n_groups":1,"conv_kernel":4}"#,
            "R",
            136,
        ),
        // the fla class derives the heads
        (
            r#"{"model_type":"mamba2","num_hidden_layers":1,"hidden_size":8,"expand":2,"head_dim":4,"state_size":4,"n_groups":1,"conv_kernel":4,"time_step_limit":[0.0,Infinity]}"#,
            "R",
            136,
        ),
        // popcount up to 8 tokens is at most 3: 3*64 + 3*24
        (
            r#"{"model_type":"log_linear_mamba2","num_hidden_layers":1,"hidden_size":8,"expand":2,"head_dim":4,"state_size":4,"n_groups":1,"conv_kernel":4,"max_position_embeddings":8}"#,
            "R",
            264,
        ),
        // H_kv dk dv + (K-1)(H dk + H_kv (dk + dv)) = 2*2*4 + 3*(8 + 12)
        (
            r#"{"model_type":"gla","num_hidden_layers":1,"hidden_size":16,"num_heads":4,"num_kv_heads":2,"expand_k":0.5,"expand_v":1,"use_short_conv":true,"conv_size":4}"#,
            "R",
            76,
        ),
        (
            r#"{"model_type":"retnet","num_hidden_layers":1,"hidden_size":16,"num_heads":4,"num_kv_heads":2,"expand_k":0.5,"expand_v":1,"use_short_conv":false}"#,
            "R",
            32,
        ),
        // H d (d + 1)
        (
            r#"{"model_type":"linear_attn","num_hidden_layers":1,"hidden_size":16,"num_heads":4,"expand_k":1,"expand_v":1,"feature_map":"relu","norm_feature_map":true}"#,
            "R",
            80,
        ),
        // H dk dv + (K-1)(2 H dk + H dv)
        (
            r#"{"model_type":"delta_net","num_hidden_layers":1,"hidden_size":16,"num_heads":4,"expand_k":1,"expand_v":1,"use_short_conv":true,"conv_size":4}"#,
            "R",
            208,
        ),
        (
            r#"{"model_type":"gated_deltanet","num_hidden_layers":3,"hidden_size":16,"num_heads":2,"num_v_heads":4,"head_dim":4,"expand_v":2,"use_short_conv":true,"conv_size":4,"attn":{"layers":[1],"num_heads":2}}"#,
            "RFR",
            272,
        ),
        (
            r#"{"model_type":"kda","num_hidden_layers":1,"hidden_size":16,"num_heads":2,"head_dim":4,"expand_v":1,"use_short_conv":false}"#,
            "R",
            32,
        ),
        // h expand_ratio + (K-1)(2 H expand_ratio + h) = 64 + 3*48
        (
            r#"{"model_type":"hgrn2","num_hidden_layers":1,"hidden_size":16,"expand_ratio":4,"use_short_conv":true,"conv_size":4}"#,
            "R",
            208,
        ),
        (
            r#"{"model_type":"hgrn","num_hidden_layers":1,"hidden_size":16,"expand_ratio":1,"use_short_conv":true,"conv_size":4}"#,
            "R",
            112,
        ),
        (
            r#"{"model_type":"gsa","num_hidden_layers":1,"hidden_size":16,"num_heads":4,"num_slots":3,"exapnd_k":1,"exapnd_v":1,"use_short_conv":false}"#,
            "R",
            96,
        ),
        (
            r#"{"model_type":"mesa_net","num_hidden_layers":1,"hidden_size":16,"num_heads":4,"head_dim":4,"use_short_conv":true,"conv_size":4}"#,
            "R",
            224,
        ),
        (
            r#"{"model_type":"nsa","num_hidden_layers":2,"hidden_size":16,"num_heads":4,"head_dim":8}"#,
            "FF",
            0,
        ),
    ];
    for (text, letters, first) in rows {
        let (found, numbers, _) = account(text);
        assert_eq!((found.as_str(), numbers), (*letters, *first), "{text}");
    }
}

#[test]
fn columns_and_copies_that_are_stored() {
    let stored = |text: &str| {
        let account = Account::of(&read(text).unwrap());
        let n = |x: num_bigint::BigUint| u64::try_from(x).unwrap();
        (n(account.recurrent_scalars()), n(account.stored_scalars()))
    };
    // K columns are allocated, K - 1 cross.
    let mamba = r#"{"model_type":"mamba","num_hidden_layers":1,"hidden_size":8,"expand":2,"state_size":4,"conv_kernel":4}"#;
    assert_eq!(stored(mamba), (112, 128));
    // Copies inside a group are equal in GLA; in RetNet the decays differ.
    let group = |kind: &str| {
        format!(
            r#"{{"model_type":"{kind}","num_hidden_layers":1,"hidden_size":16,"num_heads":4,"num_kv_heads":2,"expand_k":1,"expand_v":1,"use_short_conv":false}}"#
        )
    };
    assert_eq!(stored(&group("gla")), (32, 64));
    assert_eq!(stored(&group("retnet")), (64, 64));
    // RG-LRU allocates K - 1 columns.
    let gemma = r#"{"model_type":"recurrent_gemma","num_hidden_layers":1,"hidden_size":8,"num_attention_heads":2,"num_key_value_heads":1,"conv1d_width":4,"attention_window_size":5,"block_types":["recurrent"]}"#;
    assert_eq!(stored(gemma), (32, 32));
}

#[test]
fn lists_that_count_from_one() {
    let kimi = |lists: &str, more: &str| {
        format!(
            r#"{{"model_type":"kimi_linear","num_hidden_layers":4,"hidden_size":8,"num_attention_heads":2,"qk_nope_head_dim":4,"qk_rope_head_dim":2,{more}
            "linear_attn_config":{{{lists}"num_heads":2,"head_dim":4,"short_conv_kernel_size":4}}}}"#
        )
    };
    assert_eq!(
        account(&kimi(r#""full_attn_layers":[4],"kda_layers":[1,2,3],"#, "")).0,
        "RRRF"
    );
    refused(
        &kimi(r#""full_attn_layers":[3],"kda_layers":[0,1,2],"#, ""),
        "linear_attn_config.kda_layers[0]: position 0, expected 1 to 4",
    );
    refused(
        &kimi(r#""full_attn_layers":[4],"kda_layers":[1,2],"#, ""),
        "linear_attn_config.kda_layers: layer 3 of 1 to 4 is in no list",
    );
    refused(
        &kimi(r#""full_attn_layers":[4],"kda_layers":[1,2,3,4],"#, ""),
        "linear_attn_config.kda_layers: layer 4 is in both lists",
    );
    refused(
        &kimi("", ""),
        "layer_types: missing (or linear_attn_config.full_attn_layers and .kda_layers)",
    );
    // layer_types goes before the lists; the class's own pattern is never used.
    let types = r#""layer_types":["full_attention","linear_attention","linear_attention","linear_attention"],"#;
    let both = kimi(r#""full_attn_layers":[4],"kda_layers":[1,2,3],"#, types);
    assert_eq!(account(&both).0, "FRRR");
    assert_eq!(
        read(&both).unwrap().notes,
        ["linear_attn_config disagrees with layer_types; layer_types is used"]
    );
    let node = Node::parse(&kimi("", "")).unwrap();
    assert!(
        config::read(&node, true, None).is_err(),
        "not with class defaults, either"
    );
}

#[test]
fn layouts_that_have_no_default() {
    let without = [
        r#"{"model_type":"minimax","num_hidden_layers":4,"num_attention_heads":2,"head_dim":4,"hidden_size":8}"#,
        r#"{"model_type":"lfm2","num_hidden_layers":4,"hidden_size":8,"conv_L_cache":3}"#,
        r#"{"model_type":"granitemoehybrid","num_hidden_layers":4,"hidden_size":8,"mamba_expand":2,"mamba_n_groups":1,"mamba_d_state":4,"mamba_d_conv":4}"#,
    ];
    for text in without {
        for defaults in [false, true] {
            let refusal = config::read(&Node::parse(text).unwrap(), defaults, None).unwrap_err();
            assert!(refusal.message.starts_with("missing"), "{refusal}");
        }
    }
    // A list that is not the list of recurrent layers.
    assert_eq!(account(r#"{"model_type":"lfm2","num_hidden_layers":4,"hidden_size":8,"conv_L_cache":3,"full_attn_idxs":[2]}"#).0, "RRFR");
}

#[test]
fn strings_and_lists_of_the_wrong_kind() {
    let nemotron = |pattern: &str, layers: u32| {
        format!(
            r#"{{"model_type":"nemotron_h","hybrid_override_pattern":"{pattern}","num_hidden_layers":{layers},"hidden_size":8,"mamba_num_heads":6,"mamba_head_dim":4,"ssm_state_size":4,"mamba_n_groups":1,"mamba_d_conv":4}}"#
        )
    };
    assert_eq!(account(&nemotron("M-E*", 4)).0, "RF");
    refused(
        &nemotron("M-E*", 2),
        "hybrid_override_pattern: 4 layers, but num_hidden_layers is 2",
    );
    refused(
        &nemotron("M-X*", 4),
        "hybrid_override_pattern: unknown letter `X` at place 2",
    );
    let jamba = |more: &str| {
        format!(
            r#"{{"model_type":"jamba","num_hidden_layers":2,"hidden_size":8,"mamba_expand":2,"mamba_d_state":4,"mamba_d_conv":4,{more}}}"#
        )
    };
    refused(
        &jamba(r#""attn_layer_period":2,"attn_layer_offset":2"#),
        "attn_layer_offset: 2, expected less than attn_layer_period 2",
    );
    refused(
        &jamba(r#""layer_types":["mamba","attn"]"#),
        "layer_types[1]: unknown layer type `attn`",
    );
    refused(
        &jamba(r#""layer_types":["mamba","attention"],"layers_block_type":["attention","mamba"]"#),
        "layers_block_type: disagrees with layer_types",
    );
    assert_eq!(account(&jamba(r#""layer_types":["linear_attention","full_attention"],"layers_block_type":["mamba","attention"]"#)).0, "RF");
    refused(
        &jamba(r#""layer_types":["mamba"]"#),
        "layer_types: 1 layers, but num_hidden_layers is 2",
    );
    refused(
        &jamba(r#""layer_types":["mamba","hybrid"]"#),
        "layer_types: found hybrid, which this model type does not have",
    );
    refused(
        r#"{"model_type":"jambalaya"}"#,
        "model_type: unknown model type `jambalaya`; expected one of",
    );
    refused(r#"{}"#, "model_type: missing");
    refused(r#"[]"#, "the file: found a list of 0, expected an object");
}

#[test]
fn text_config_and_fields_at_both_levels() {
    let both = format!(
        r#"{{"model_type":"qwen3_5","num_hidden_layers":4,"text_config":{{"num_hidden_layers":2,"full_attention_interval":2,{QWEN}}}}}"#
    );
    refused(
        &both,
        "text_config.num_hidden_layers: found 2 here and 4 at the top of the file, expected one value",
    );
    let same = format!(
        r#"{{"model_type":"qwen3_5","num_hidden_layers":2,"text_config":{{"num_hidden_layers":2,"full_attention_interval":2,{QWEN}}}}}"#
    );
    assert_eq!(account(&same).0, "RF");
}

#[test]
fn sizes_that_must_agree() {
    let falcon = r#"{"model_type":"falcon_h1","num_hidden_layers":1,"hidden_size":8,"mamba_d_ssm":16,"mamba_n_heads":4,"mamba_d_head":8,"mamba_n_groups":1,"mamba_d_state":4,"mamba_d_conv":4}"#;
    refused(falcon, "mamba_d_head: 32, but the inner width is 16");
    let mamba2 = r#"{"model_type":"mamba2","num_hidden_layers":1,"hidden_size":8,"expand":2,"num_heads":6,"head_dim":4,"state_size":4,"n_groups":1,"conv_kernel":4}"#;
    refused(mamba2, "num_heads: 24, but expand * hidden_size is 16");
    refused(
        r#"{"model_type":"mamba","num_hidden_layers":1,"hidden_size":8,"expand":2,"intermediate_size":15,"state_size":4,"conv_kernel":4}"#,
        "intermediate_size: 15, but expand * hidden_size is 16",
    );
    refused(
        r#"{"model_type":"rwkv7","num_hidden_layers":1,"hidden_size":8,"head_dim":4,"value_dim":12}"#,
        "value_dim: 12, expected a multiple of hidden_size 8",
    );
    refused(
        r#"{"model_type":"rwkv7","num_hidden_layers":1,"hidden_size":8,"head_dim":3}"#,
        "head_dim: 3 does not divide 8",
    );
    refused(
        r#"{"model_type":"gla","num_hidden_layers":1,"hidden_size":10,"num_heads":4,"expand_k":0.5,"expand_v":1,"use_short_conv":false}"#,
        "num_heads: 4 does not divide 5",
    );
    refused(
        r#"{"model_type":"gla","num_hidden_layers":1,"hidden_size":9,"num_heads":3,"expand_k":0.5,"expand_v":1,"use_short_conv":false}"#,
        "expand_k: 1/2 times 9 is 9/2, expected a whole number",
    );
    refused(
        r#"{"model_type":"lfm2","layer_types":["conv"],"hidden_size":0,"conv_L_cache":3}"#,
        "hidden_size: found 0, expected a whole number from 1",
    );
}

#[test]
fn multi_query_checkpoints_name_their_heads() {
    let gemma = r#"{"model_type":"recurrent_gemma","num_hidden_layers":3,"hidden_size":8,"num_attention_heads":2,"conv1d_width":4,"attention_window_size":5,"block_types":["recurrent","recurrent","attention"]}"#;
    refused(gemma, "num_key_value_heads: missing");
    let window = gemma.replace("\"conv1d", "\"num_key_value_heads\":1,\"conv1d");
    let account = Account::of(&read(&window).unwrap());
    // 2 (W-1) H_kv d = 2*4*1*4
    assert_eq!(account.window_scalars(), 32_u32.into());
    assert!(account.whole_model());
    let bits = Precision::uniform(16);
    assert_eq!(
        account.bounded_bits(&bits) - account.recurrent_bits(&bits),
        (32_u32 * 16).into()
    );
}

#[test]
fn a_missing_field_is_named_and_class_defaults_are_listed() {
    let jamba = r#"{"model_type":"jamba","num_hidden_layers":32,"attn_layer_period":8,"attn_layer_offset":4,"hidden_size":4096,"mamba_expand":2,"mamba_d_conv":4}"#;
    refused(
        jamba,
        "mamba_d_state: missing: it decides the state; the class has a default (--class-defaults)",
    );
    let model = with_defaults(jamba);
    assert_eq!(
        model.filled,
        [
            ("mamba_d_state".to_owned(), "16".to_owned()),
            ("num_attention_heads".to_owned(), "32".to_owned())
        ]
    );
    // The class and the layer of NSA disagree about head_dim: the class says 32.
    let nsa = with_defaults(r#"{"model_type":"nsa"}"#);
    assert!(
        nsa.filled
            .contains(&("head_dim".to_owned(), "32".to_owned())),
        "{:?}",
        nsa.filled
    );
    // What the OLMo class computes: dk = floor(0.75 hidden / H).
    let olmo = with_defaults(r#"{"model_type":"olmo_hybrid"}"#);
    for (field, value) in [
        ("linear_num_key_heads", "30"),
        ("linear_key_head_dim", "96"),
        ("linear_value_head_dim", "192"),
    ] {
        assert!(
            olmo.filled.contains(&(field.to_owned(), value.to_owned())),
            "{:?}",
            olmo.filled
        );
    }
    let zamba = with_defaults(r#"{"model_type":"zamba2"}"#);
    assert_eq!(Account::of(&zamba).full_layers(), 9);
}

#[test]
fn precision_from_the_file_the_option_the_default() {
    let model = |more: &str| {
        read(&format!(r#"{{"model_type":"mamba","num_hidden_layers":1,"hidden_size":8,"expand":2,"state_size":4,"conv_kernel":4{more}}}"#)).unwrap()
    };
    let bits = |model: &Model, option: Option<u64>| Precision::of(model, option, None).recurrent;
    assert_eq!(bits(&model(""), None), 32);
    assert_eq!(bits(&model(r#","mamba_ssm_dtype":"bfloat16""#), None), 16);
    assert_eq!(bits(&model(r#","mamba_ssm_dtype":"bfloat16""#), Some(8)), 8);
    // The dtype of the weights decides nothing.
    assert_eq!(bits(&model(r#","torch_dtype":"bfloat16""#), None), 32);
}

#[test]
fn log_linear_states_depend_on_the_tokens() {
    let text = r#"{"model_type":"log_linear_mamba2","num_hidden_layers":1,"hidden_size":8,"expand":2,"head_dim":4,"state_size":4,"n_groups":1,"conv_kernel":4}"#;
    refused(
        text,
        "max_position_embeddings: missing: a log-linear state depends on the tokens read; give --tokens T",
    );
    let numbers = |tokens| {
        let model = config::read(&Node::parse(text).unwrap(), false, Some(tokens)).unwrap();
        u64::try_from(Account::of(&model).recurrent_scalars()).unwrap() - 72
    };
    // popcount of 7, 8, 12, 16
    assert_eq!([7, 8, 12, 16].map(numbers), [3 * 64, 64, 2 * 64, 64]);
}
