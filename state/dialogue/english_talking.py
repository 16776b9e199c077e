"""What English speakers say when they object, repeat themselves or have done with it."""

from .lexicon import Talking

ENGLISH_TALKING = Talking(
    object=r"""
        (i|we) ~(disagree|object|oppose|refuse|dispute|contest|reject|doubt|differ|insist|maintain)
        (can|do|could|will|would) not ~(support|accept|agree|sign|back|endorse|vote|follow|concede|buy|live with)
        (not|hardly|far from|never|nowhere near) ~(convinced|persuaded|happy|sure|comfortable|satisfied|acceptable|
          enough)|(am|remain|stay|vote|are|is) ~(against|opposed|sceptical|skeptical|unconvinced)
        not ~(until|unless|while|as long as)
        (the|my|one|main|real) ~(trouble|problem|catch|objection|concern|snag) (is|remains|stands)|what about|hold on
        ignores?|overlooks?|misses|does not follow|beside the point|not the (point|issue|question)
        fails (to|because|on|at)
    """,
    closing=r"""
        (nothing|anything|not much|little) ~(add|say|left|discuss|offer|contribute)|no (further |more )?comments?
        leave it( there| at that)?|agree to disagree|(drop|forget) it|move on|moving on|never ?mind|whatever
        call it a day|(up|over) to you|you (two |all |both )?(can )?(decide|choose)|suit yourself|have it your way
        as you (wish|like|please)
        do not (really |much )?(care|mind)|if you say so|(been|gone) (through|over) (that|this|it)
        think what you (like|want)|(said|heard|covered|discussed) (that|it|so|this|all this) (already|before)
        already (said|discussed|covered|told)
        (said|made|stated) (all|what|everything|my|our|both) ~(say|points?|piece|have|can|case|position)
        that is (all|it)(?= [,]| $| from| i | we | then)
        (get|getting|going) ~(nowhere|anywhere)|no point|see the point|pointless|impasse|deadlock|stalemate
        (not )?worth (arguing|it|continuing|my time)|(i am|we are) (done|finished|through)
        guess (so|not)|let us ~(stop|end|leave|finish)|(stop|end|leave it|call it) here|not ~going to agree
        never ~agree|(am|are) ~(tired|sick) of
        rest my case|end of story|another (day|time)|enough (of|said)|exhausted (this|the)|(got|have|need) to go
        good ?bye|bye|not sure what (else|more)|so be it|be that as it may
        (what|whatever) else (is there|can i)|no one then|does it(?= $)|i (did|do)(?= $)|(okay|all right) then
    """,
    meta=r"""
        continu\w+|discuss\w*|conversation|debat(e|ing)|argu(e|ing|ment)
        (my|your|our) (views?|opinions?|position|mind)
        (see|view) (it|this|things)|differently|further|(lost )?interest(ed)?|repeat\w*|topic|subject|finish|talking
        past each other|(it|this) (does not )?matters?|what i (think|believe)|(go|going) on|any ?more|not ~answer\w*
        each other|end (it|this)|changed?|i have explained|words
    """,
    again=r"""
        as (i|we) ((have|had|already|just) )*(said|mentioned|explained|noted|pointed out|argued|stated|stressed)
        again|i ~repeat|once more|like i said|i ~said (it |so |this )?(before|already|earlier)|reiterate|restate
        (i|we) keep (saying|telling)|back to|(already|before) ~(said|told|explained)|same (point|argument|thing)
        (my|the) (point|argument|position) (also )?(remains|stands|is the same|is still)|(i|we) ~come back to
        (in|round|around) (in )?circles|repeating (ourselves|yourself|myself)|you keep (saying|repeating)
    """,
    echo=r"""
        me (too|neither)|same (here|for me)|so (do|am|have|would) i|(neither|nor) (do|have|am|would) i|likewise
        i (do|am) (too|as well)|as do i|mine too|ditto
    """,
)
