"""What English speakers say when they give way, object, hedge, repeat themselves or have done with it.

Patterns are matched against folded words; `~` stands for up to three words in between that do not negate.
"""

from .lexicon import Lexicon

_OWN = "(objections?|opposition|resistance|case|positions?|claims?|arguments?|concerns?|worry|worries|doubts?|fears?)"
_PLAN = "(plan|proposal|conclusion|point|logic|side|arguments?|position|case|approach|solution|idea|reasoning|evidence|figures|numbers|data)"

ENGLISH = Lexicon(
    surrender=(
        "(i|we) ~(withdraw|withdrew|withdrawn|withdrawing|retract|retracted|retracting|revoke|renounce|relinquish|forfeit|capitulate|surrender|relent|cave)",
        "i yield(?! the| my)",
        "(i|we) ~(drop|dropping|abandon|abandoning|give up|giving up|let go of|set aside|put aside) ~(it|this|that|them|mine|the (fight|ban|plan|idea|motion|proposal))",
        f"(i|we) ~(drop|dropping|abandon|abandoning|give up|giving up|let go of|set aside|put aside) ~{_OWN}",
        "(i|we) ~take ~back",
        "i give(?= [,]| $)|(i|we) ~(give in|back down|admit defeat|accept defeat|bow to|throw in the towel|give way|stand down)",
        "(changed?|changes|changing|shifted|reversed|revised?|reconsidered|updated?|altered|rethought|rethink) my "
        "~(mind|views?|position|opinion|vote|stance|thinking|perspective|judgement|judgment|verdict|answer)",
        "(convinced|convinces|persuaded|persuades|converted|swayed|sold|won|wins|turned|brought|talked) me( over| round| around)?",
        "i (am|have been|stand|feel) ~(convinced|persuaded|won over|sold|swayed|converted|beaten|defeated)(?! (that|of|the|we|it|there))",
        "you (win|won|have won|have me|got me|have got me|have beaten me|carry the day|prevail)(?= [,]| $| this| the | there| here| fair)",
        "i ~(have|see|find|got) no (more |further |remaining |good |real |serious |convincing |other |sensible |honest )*"
        "(objections?|answers?|reply|rebuttals?|counter ?arguments?|reservations?|defen[cs]e|arguments? left|case left|"
        "grounds|reason to (object|oppose|resist|disagree)|quarrel|reason left)",
        "i ~can (no longer|not ~(any longer|any more|in good (conscience|faith))) ~(defend|maintain|sustain|oppose|uphold|justify|argue|object|support|insist)",
        "i can not (honestly |really |possibly )?(rebut|refute|counter|argue with|fault|beat|top|answer) (that|this|it|your|you|those|these|the)",
        "(can not|can hardly|hard to|no) (argue|arguing) with that",
        "(i|we) ~no longer ~(oppose|opposed|object|believe|think|hold|disagree|resist|want|doubt|stand by|insist|against|sceptical|skeptical|see)",
        "(i|we|me to) ~(stop|stopped|cease|quit|keep from) (opposing|objecting|arguing|resisting|defending|fighting)|(dishonest|silly|foolish|stubborn|absurd|pointless|wrong) ~to (keep|go on|continue) (arguing|opposing|resisting|objecting|defending)",
        "nothing (is |remains )?left of my|nothing (left|more|else) ~to (defend|object|oppose|counter|set against)|(can not but|no choice but to|nothing for it but to) (agree|accept|concede|support|admit|yield)|takes the ground from under my",
        "(come|came|coming) ~(over|round|around) to (your|the other|pro|con)",
        "(i am|count me|put me|i will be|i stand) ~(on|in) (your|the other|pro's|con's) (side|camp|corner|column)",
        "i am with you (now|on this|on that|all the way)|i ~switch(ed|ing)? sides",
        f"my ~{_OWN} (is|are|has been|have been|was|were|has|have) (now |all |both |fully |completely |entirely |thus )*"
        "(gone|answered|met|resolved|settled|addressed|removed|disproved|refuted|untenable|moot|wrong|mistaken|collapsed|dissolved|defeated)",
        f"my ~{_OWN} (does not|do not|no longer|can not|can no longer|will not) ~(hold|holds|stand|stands|work|works|survives?|apply|applies)",
        f"my ~{_OWN} (falls|fell|fall|collapses?|crumbles?|fails|dissolves?|evaporates?|is dead)",
        f"(neither|none) of my ~{_OWN} ~(is|are|remains?|left|stands?|holds?)|neither of my reasons",
        "you (are|were|have been) right ~(and|,) ~(i|my \\w+) (was|am|have been|were) (wrong|not)|right all along|right from the (start|beginning)",
        "i (was|am|have been) wrong to (oppose|object|resist|doubt|argue|fight|insist|think|believe|dismiss)",
        "no (honest |good )?(way|reason) to keep (opposing|arguing|objecting|resisting)",
        "i used to (believe|think) ~but ~no longer",
        "(has|have|had|with|get|gets|got|earned) my (vote|support|backing|blessing|signature|full support)",
        "(we|us) ~do it your way|i ~defer to you|i ~give you (the|this) (win|point|match|round|one)|the (win|debate|argument|day) is yours|you have the better",
    ),
    error=(
        "i ~(concede|yield|give up)( (it|this|this one|defeat|to (you|pro|con)|entirely|fully|completely|"
        "(the|your|this) (whole )?(point|debate|argument|case|match|motion|round|issue|thing)))?(?= [,]| $| and )",
        "stand corrected",
        "i (was|am|have been|must have been) ~(wrong|mistaken|in error|too hasty|hasty|misled|misinformed|naive|blind)",
        "my (mistake|error|bad|oversight|apologies)(?= [,]| $)|i (admit|accept|acknowledge) (my |the )?(error|mistake)",
        "i ~(misjudged|misread|misunderstood|overlooked|underestimated|overestimated|miscalculated|had ~(it wrong|backwards|upside down|mixed up|the wrong way)|made a mistake|got (it|this|that) wrong)",
        "(fully|completely|totally|entirely|wholeheartedly) agree|agree (with (you|your \\w+|that|this|it) )?(fully|completely|entirely|wholeheartedly|totally|with everything)",
        f"your ~{_PLAN} (is|are|was|were) ~(better|stronger|best|superior|right|correct)",
        "that settles ~for me|(better|stronger|sounder) (\\w+ )?than mine",
        "i ~(concede|admit|accept|acknowledge|agree|see|recogni[sz]e)( now)? that ([^ ,]+ ){1,6}(is|are|has|have|was) (simply |clearly |indeed |now )?the (better|best|right|stronger|superior|correct|wiser) "
        "(choice|option|way|approach|solution|answer|case|argument|plan|policy|one|course)",
        f"your ~{_PLAN} (is|was) ~the (right|better|best|correct|stronger|wiser) (one|choice|answer|way|option)",
    ),
    grant=(
        "(you|he|she|they|pro|con|opponent) (are|is|were|was|have been) ~(right|correct)",
        "you have (a|got a) ~point|you have convinced|you ~make ~(point|case|argument)",
        "i ~agree|agreed|i ~concur|i ~concede|(point|all|everything) conceded",
        "(fair|good|excellent|valid|strong|great|legitimate|reasonable|solid|compelling|persuasive|convincing) "
        "(points?|enough|arguments?|case|observation|objection)",
        "point taken|well (put|said|argued)|granted|touche|hats? off",
        "(that|this|it) is ~(true|right|correct|fair|convincing|compelling|persuasive|undeniable)",
        "makes (perfect |complete |good )?sense|i can not (deny|dispute|disagree)",
        "i ~(accept|grant|admit|acknowledge|recogni[sz]e)",
        f"your ~{_PLAN} (is|are|was|were) ~(overwhelming|conclusive|compelling|decisive|irrefutable|undeniable|sound|convincing|persuasive)",
        f"your ~{_PLAN} (follows?|holds?|stands?|wins?|prevails?|carries|carry)",
    ),
    accept=(
        "(works|work) ~for ~(me|us|both|everyone)|(fine|good|okay|ok|great) (with|by|for) me|suits (me|us)|can live with",
        "i (am|will be|would be) ~(happy|fine|okay|ok|good|content|comfortable|satisfied|on board|in favou?r|all in|all for|in)",
        "i ~(like|support|back|endorse|second|favou?r|approve|welcome|vote for|vote in favou?r|sign|recommend|join|can back|can support)",
        "sounds (good|great|right|perfect|fine)|same here|me too|so (do|am) i|all for it|on board|happy with",
        "no (objections?|complaints?|problem|reservations?|issues?)|unanimous|we ~(all )?agree|we are ~agreed",
        "that makes (two|three|four|five|six|all|both) of us|deal|perfect|it is settled|count me in|you can count on me",
        "(voted?|voting|vote) (yes|for it|in favou?r)|i am with \\w+|ready to sign|let us (go with|do it|do that|adopt|take)",
        "yes (?=,|$)|yep|yeah ,|absolutely|exactly|definitely|of course|i stand by it",
    ),
    support=(
        "i (had not|did not|never|hardly) ~(thought?|consider(ed)?|known?|reali[sz]ed?|seen?|expect(ed)?|aware|heard?|look(ed)?|understo+d?|appreciated?)",
        "(what|everything|thing|all) i ~(feared|worried about|argued|claimed|objected to|was afraid of)",
        "had (my|some) doubts|thank you|thanks for|opened my eyes|eye opener|(i|we) apologi[sz]e|(changes|change) (things|everything|the picture|matters|my)",
    ),
    resolve=("i (will|shall|am going to)|let us|we should|we ought|go ahead|so be it then",),
    concessive="although|though|while|even if|even though|despite|whereas|as much as",
    counter=(
        "but|however|yet|nevertheless|nonetheless|still|even so|that said|having said that|on the other hand|though|although|"
        "except|unfortunately|whereas|only that|all the same|at the same time|then again|rather|instead|unlike|despite|in spite of",
    ),
    object=(
        "(i|we) ~(disagree|object|oppose|refuse|dispute|contest|reject|doubt|differ|insist|maintain)",
        "(can|do|could|will|would) not ~(support|accept|agree|sign|back|endorse|vote|follow|concede|buy|live with)",
        "(not|hardly|far from|never|nowhere near) ~(convinced|persuaded|happy|sure|comfortable|satisfied|acceptable|enough|agreed)|unconvinced",
        "(am|remain|stay|vote|are|is) ~(against|opposed|sceptical|skeptical)|not ~(until|unless|while|as long as)",
        "(the|my|one|main|real) ~(trouble|problem|catch|objection|concern|snag) (is|remains|stands)|what about",
        "ignores?|overlooks?|misses|does not follow|beside the point|not the (point|issue|question)|fails (to|because|on|at)",
    ),
    negation=("not|never|no|nor|neither|hardly|scarcely|nobody|none|nothing|refuse to|far from|rather than|instead of",),
    harmless="no doubt|if anything|as if|even if|if i am honest|to be honest|if i may|not only|can not but|can not help but|why not|no question|"
    "can not deny( that)?|there is no denying( that)?|if you like|without (a )?doubt|without reservation|no wonder",
    condition="if|unless|provided|providing|suppose|supposing|assuming|until|as soon as|the day",
    modal="would|could|might|may|perhaps|maybe|nearly|almost|tempted to|expect me to|want me to",
    report="(said|says|saying|say|told|tells|wrote|writes|claims?|claimed|argues|admits|admitted|conceded|concedes|heard|words|word|"
    "phrase|phrases|sentence|slogan|called|titled|thinks|believes|(you|they|he|she) (think|believe|want me to say)|pretends?|hear|reads)( to)?( me| us| that| ,| and| he| she| they| you| him| her)*",
    narrows="that|about|on|regarding|concerning|as to|as for|as far as|insofar|where|when|with|in|for|to|the|there|because|how",
    whole="(that|about|on|with|in|to|for)?( all| everything| every| both)?( of)?( that| this| it| you| your \\w+| her| him| them| everyone| everything| all| "
    "both| pro| con| the (motion|whole|others|group)| every \\w+)( now| then| completely| entirely| after all| too| as well| here)?(?= [,]| $| and )",
    partly="partly|in part|partially|to (some|a certain|an) extent|in (some|this|that) (respect|regard|case)|up to a point|on (this|that) point|of one thing|one thing only|in principle|in theory|for the sake of argument",
    closing=(
        "(nothing|not much|little) ~(add|say|left|discuss)|no (further |more )?comments?|leave it( there| at that)?|agree to disagree|"
        "(drop|forget) it|move on|never ?mind|whatever|(up|over) to you|you (two |all |both )?(can )?(decide|choose)|suit yourself",
        "do not (really |much )?(care|mind)|if you say so|as you (wish|like|please)|(been|gone) (through|over) (that|this|it)|fine by me either way",
        "(said|heard|covered|discussed) (that|it|so|this|all this) (already|before)|already (said|discussed|covered|told)",
        "(said|made) (all|what|everything|my|our|both) ~(say|points?|piece|have|can)|that is (all|it)|(get|getting|going) ~(nowhere|anywhere)",
        "no point|pointless|(i am|we are) (done|finished|through)|let us (stop|end|leave)|call it a day|guess (so|not)|neither (do|have|am) i|"
        "nor (do|have|am) i|rest my case|end of story|think what you (like|want)|have it your way|another (day|time)|enough (of|said)|not sure what (else|more)",
        "(what|whatever) else (is there|can i)|i am (tired|bored)|be that as it may|so be it|no one then|does it $|i did $|i do $|okay then|all right then",
    ),
    again=(
        "as (i|we) (have |had )?(already |just )?(said|mentioned|explained|noted|pointed out|argued|stated|stressed)|again|i ~repeat|once more|"
        "like i said|i ~said (it |so |this )?(before|already|earlier)|(i|we) keep (saying|telling)|back to|reiterate|restate|"
        "(my|the) (point|argument|position) (remains|stands|is the same|is still)|(already|before) ~(said|told|explained)|same (point|argument|thing)|(i|we) ~come back to",
        "(in|round|around) (in )?circles|repeating (ourselves|yourself|myself)|you keep (saying|repeating)",
    ),
    stop=frozenset(
        "a about above after all also am an and any are around as at be because been being both but by can come could did do does doing done down each "
        "either else even ever every few for from get gets getting go goes going got had has have having he her here hers him his how i if in into is it its "
        "itself just keep let like made make many me more most much must my no nor not of off on one only onto or other our out over own quite really same say "
        "said says see she should so some such take than that the their them then there these they thing things this those through to too under until up upon us "
        "very was way we well were what when where which while who whoever whom whose why will with would you your yours am".split()
    ),
    idle=frozenset(
        "ok okay fine yes yeah yep no nope hm hmm mm mhm uh huh um ah oh eh sure right alright well whatever anyway guess suppose maybe perhaps really think "
        "know mean already nothing something anything add else mind decide leave true exactly enough thanks thank please sorry wish agree agreed disagree time "
        "point experience favourite favorite good great funny".split()
    ),
)
