// The whole loop on eight inputs: a game, a protocol, and what crosses.
use foolproof::exact::{Alphabet, Domain, Form};
use foolproof::game::family::one_way;
use foolproof::game::strategy::Table;
use foolproof::game::task::evaluation::Evaluation;
use foolproof::game::{Inputs, SlotId, Task, run};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Alice holds a table f of two bits, Bob a place x; Alice speaks once, Bob answers f(x).
    let f = Domain::single("f", Form::Table { len: 2, values: 2 })?;
    let x = Domain::single("x", Form::Number(2))?;
    let game = Arc::new(one_way::game(Alphabet::new(4u8.into())?, f, x)?);
    let task = Evaluation { n: 2 };

    // Alice says her table as a number; Bob reads the bit he needs.
    let says = vec![(SlotId(0), vec![0, 1, 2, 3])];
    let answers = vec![0, 0, 1, 1, 0, 1, 0, 1];
    let protocol = Table::new(game.clone(), says, Some(answers), task.answers())?;

    for inputs in Inputs::all(&game) {
        let run = run(&game, &protocol, &inputs)?;
        let answer = run.answer.ok_or("the answer function is not free")?;
        assert!(task.accepted(&inputs)?.contains(answer));
    }
    Ok(())
}
