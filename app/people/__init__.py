"""People at their seats: open questions, and answers to them, for web pages and `moot join`.

    async with open_database(db, create=False) as store:
        saved_run = await load_saved_run(store, run)   # or graph.get_state(thread)
    for question in list_open_questions(saved_run):    # [{id, who, purpose, words, schema, deadline, …}]
        ...                                            # show list_visible_statements(saved_run, question["who"])
    questions = await aanswer_question(run, question["id"], question["who"], "A text.", db=db)

`value` is a text if `schema` is `None`, else a mapping that fits the schema. Questions to the run's owner have `who`
`owner` and purpose `approval`: answer `{"approve": True, "note": ""}`. `{"pass": True}` skips the question.

The answer is saved first. Then the run continues under its lock until the next question. The function returns the open
questions. If the answer has a fault, the same question returns with its `fault` and another `id`. `driver` shows the
run while it continues; with `None` the run is not shown.

`aresume_waiting_run` continues without an answer. It records the missed turns of people whose deadline is over, and
continues the work of a process that died. `answer_question` and `resume_waiting_run` do the same in synchronous code.
To resume a graph that you call yourself, use `Command(resume={id: value})`.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
