"""People at their seats: what waits for whom, and how an answer gets there. A web page and `moot join` both use this.

    async with opened(db, create=False) as store:
        saved = await load(store, run)                       # or graph.get_state(thread)
    for one in waiting(saved):                               # [{id, who, purpose, words, schema, deadline, fault, …}]
        ...                                                  # show seen(saved, one["who"]) and one["words"]; ask
    left = await aanswer(run, one["id"], one["who"], "A text of\n\nseveral paragraphs.", db=db)

`value` is a text where `schema` is none, else a mapping that fits it; `{"pass": True}` lets the question pass. The
answer is saved first; then the run goes on, under its lock, until the next one is needed, and what waits then is given
back: the same question again, with its `fault` and another `id`, where something was wrong with the answer. `drive`
shows the run while it goes on; none: nobody watches. `ago_on` goes on without an answer: it passes over those whose
time is over, and takes up what a process that died left undone. `answer` and `go_on` are the same for code that is not
async. A graph called by hand is resumed with `Command(resume={id: value})`.
"""

from .answering import NotAsked, aanswer, ago_on, answer, go_on
from .waiting import Waiting, seen, told, waiting

__all__ = ["NotAsked", "Waiting", "aanswer", "ago_on", "answer", "go_on", "seen", "told", "waiting"]
