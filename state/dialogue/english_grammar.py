"""The English small words that negate, report, narrow, turn or say nothing."""

from .lexicon import Grammar

ENGLISH_GRAMMAR = Grammar(
    negation="not|never|no|nor|neither|hardly|scarcely|nobody|none|nothing|refuse to|far from|rather than|instead of",
    harmless=r"""
        no doubt|without (a )?doubt|no question|no wonder|not only|why not|can not but|can not help but
        can not deny( that)?|there is no denying( that)?|if (anything|you like|i may)|as if|even if|if i am honest
        still ~(doubts?|sceptical|skeptical)
    """,
    condition="if|unless|provided|providing|suppose|supposing|assuming|until|as soon as|the day|before (i|we)",
    modal="would|could|might|may|perhaps|maybe|nearly|almost|tempted to|expect me to|want me to",
    concessive="although|though|while|even if|even though|despite|whereas|as much as",
    counter=r"""
        but|however|yet|nevertheless|nonetheless|still|even so|that said|having said that|on the other hand|although
        though|except|unfortunately|whereas|only that|all the same|at the same time|then again|rather|instead(?! of)
        unlike|despite|in spite of
    """,
    report=r"""
        (told|tells|informed|assured|warned|promised) ([^ ,]+ ){1,3}that
        (said|says|saying|say|told|tells|wrote|writes|claims?|claimed|argues|admits|admitted|conceded|concedes|heard|
          hear|reads|words?|phrases?|sentence|slogan|called|titled|thinks|believes|(you|they|he|she) (think|believe)|
          reports?)( to)?( me| us| that| ,| and| he| she| they| you| him| her)*
    """,
    narrows="that|about|on|regarding|concerning|as to|as for|as far as|insofar|where|when|there|because|how",
    names="with|in|for|to|the|this|his|her|their",
    whole=r"""
        ((that|about|on|with|in|to|for) )?((all|every|both)( of)? )?(her|him|them|that|this|it|you|yours|
          your \w+( \w+)?|everyone|everything|all|both|pro|con|every \w+|(the|this) (whole|entire) \w+|
          the (motion|proposal|measure|plan|bill|change|reform|idea|others|group))
          (?=( (now|then|completely|entirely|after all|too|as well|here|as \w+))*( [,]| $| and ))
    """,
    partly=r"""
        partly|in part|partially|to (some|a certain|an) extent|in (some|this|that) (respect|regard)|up to a point
        on (this|that) point|of one thing|one thing only|in principle|in theory|for the sake of argument
    """,
    stop="""
        a about above after all also am an and any anyone are around as at be because been being both but by can
        come could did do does doing done down each either else even ever every few for from get gets getting go
        goes going got had has have having he her here hers him his how i if in into is it its itself just keep let
        like made make many me more most much must my no nor not of off on one only onto or other our out over own
        quite really said same say says see she should so some such take than that the their them then there these
        they thing things this those through to too under until up upon us very was way we well were what when where
        which while who whoever whom whose why will with would you your yours
    """,
    idle="""
        add again agree agreed ah already alright anything anyway clearly decide disagree eh else enough exactly
        experience favorite favourite fine funny good great guess hm hmm honest huh know leave maybe mean meh mhm
        mind mine mm nope nothing obviously oh ok okay perhaps please point right something sorry suppose sure thank
        thanks think time true uh um well whatever wish yeah yep yes
    """,
)
