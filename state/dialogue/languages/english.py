"""The English small words that negate, report, narrow, turn or say nothing."""

from ..lexicon import Grammar, Talking, Yielding

ENGLISH_YIELDING = Yielding(
    nouns={
        "own": "objections?|opposition|resistance|case|positions?|claims?|arguments?|concerns?|worry|worries|doubts?|"
        "fears?|reasons?|stance|stand|bid|scepticism|skepticism|reservations?",
        "view": "mind|views?|position|opinion|vote|stance|thinking|perspective|judge?ment|verdict|answer",
        "plan": "plan|proposal|conclusion|point|logic|side|arguments?|position|case|approach|solution|idea|reasoning|"
        "evidence|figures|numbers|data|schedule",
        "win": "debate|argument|point|round|match|case|exchange|motion|discussion|bet|day|win|victory",
        "drop": "withdr[ae]w|retract|rescind|revok|renounc|relinquish|repudiat|disown|discard|scrap|drop|abandon|"
        "surrender|forfeit|revers|recant|reconsider|give up|giving up|let go of|set aside|setting aside",
        "kill": "break|broke|kill|sink|sank|demolish|destroy|answer|remov|resolv|settl|dispel|dissolv|overturn|refut|"
        "disprov|silenc|disarm|undid|toppl|knocks? out|brings? down|brought down|(puts?|laid|lays?) to rest|"
        "takes? care of|took care of",
        "resist": "oppos|object|argu|resist|defend|fight|insist|maintain|deny|disput|doubt",
    },
    surrender=r"""
        (i|we) ~(<drop>)\w* ~<own>
        i ((will|hereby|gladly|must|shall|am) )*(<drop>)(ing|ping)? (it|this|that|mine|what)
        i ~(withdraw|retract|recant)(ing)?|we ~(withdraw|retract)(?= [,]| $| (the|our|my))
        (i|we) ~(capitulate|relent|cave|give in|back down|admit defeat|give way|stand down)|i give(?= [,]| $)
        (i|we) ~take (it|that|this|what|everything|all|my \w+)( \w+){0,3} back|(i|we) ~take back|i yield(?! the| my)
        (changed?|changes|changing|shifted|reversed|revised?|altered|rethought|rethink|reconsidered) my ~<view>
        i (have )?(reconsidered|come round|come around|lost( (the|this) <win>)?)(?= [,]| $| and )
        (convinced|convinces|persuaded|persuades|converted|swayed|sold) me
          (?!( \w+ly)? that you( (have|had|did|do|can|could|\w+ly))* (never|not|no|nothing)\b)
        (won|wins|talked|brought|turned) me (over|round|around|into (it|this|that))|changed (how|the way|what) i
        i (am|have been|stand|feel) ~(convinced|persuaded|won over|sold|swayed|converted|beaten|defeated)
          (?! (that|of|the|we|it|there))
        you (win|have won|have beaten me|have me|got me|have got me|carry the day|prevail)
          (?= [,]| $| (this|the) <win>| this one| there| here| fair)
        i ~(have|see|find|got) no( (more|further|remaining|good|real|serious|honest|other|sensible))*
          (objections?|answers?|reply|rebuttals?|counter ?arguments?|reservations?|defen[cs]e|grounds|quarrel)
        i ~(have|see|find) no( (more|further|remaining|good|honest))* (reason|basis|way) ~(to|for|left) ~(<resist>)\w*
        i ~can (no longer|not ~(any longer|any more|in good (conscience|faith))) ~
          (defend|maintain|sustain|oppose|uphold|justify|argue|object|insist|resist)
        i can not ((honestly|really|possibly) )?(rebut|refute|counter|argue with|fault|beat|top|answer)
          (that|this|it|your|you|those|these)
        (can not|can hardly|hard to|no) (argue|arguing) with that|takes the ground from under my
        i ~no longer ~(oppose|opposed|object|believe|think|disagree|resist|doubt|insist|against|sceptical|skeptical)
        i ~no longer ~(able|willing|in a position) to ~(<resist>|stand)\w*
        i ~no longer ~(stand by|stand behind|hold to)|i no longer do(?= [,]| $)|i ~(stop|stopped|quit) (<resist>)ing
        (dishonest|silly|foolish|stubborn|absurd|wrong) ~to (keep|go on|continue) (<resist>)ing
        no (point|sense|use|reason) ~(resisting|opposing|objecting|denying|defending (the|my|this|that|it))
        nothing (is |remains )?left of my|nothing (left|more|else) ~to (defend|oppose|counter|set against)
        (can not but|no choice but to|nothing for it but to) (agree|accept|concede|support|admit|yield)
        (come|came|coming) ~(over|round|around) to (your|the other|pro|con)
        i am with you (now|on this|on that|all the way)
        i ~(switch|switched|switching|change|changed|changing) ~sides?
        i ~(switch|cross|join)\w* ~(your|the other) side
        (consider|count|put|mark|call) me ~(convinced|persuaded|converted|(as )?a yes|as a supporter)
        i (bow|defer|submit|yield|concede) to (your|the|that|this)|i ~((run|ran) out of|out of|left without) ~
          (counter ?arguments?|arguments|answers|objections|ammunition|reasons)
        i ~(ready|happy|willing|prepared) to (sign|support|back|accept|adopt|endorse|approve|recommend|vote) ~
          (your|it|this|that|the)|i ~now ~(on board|in favou?r|for it|with you)|(on board|in favou?r) ~now
        (i am|count me|put me|i will be|i stand) ~(on|in) (your|the other|pro's|con's) (side|camp|corner|column)
        my ~<own> (is|are|has been|have been|was|were|has|have)( (now|all|both|fully|completely|entirely|thus))*
          (gone|answered|met|resolved|settled|addressed|removed|disproved|refuted|untenable|moot|wrong|collapsed)
        my ~<own> (does not|do not|no longer|can not|can no longer|will not) ~(holds?|stands?|works?|survives?|apply)
        my ~<own> (falls|fell|fall|collapses?|crumbles?|fails|dissolves?|evaporates?)
        (neither|none) of my ~<own> ~(is|are|remains?|left|stands?|holds?)
        you (are|were|have been) right ~(and|,) ~(i|my \w+) (was|am|were) (wrong|not)
        you (are|were|have been) ~right (all along|from the (start|beginning))
        i (was|am|have been) wrong to (<resist>|think|believe|dismiss)\w*
        (has|have|had|with|get|gets|got|earned) my ~(vote|support|backing|blessing|signature|agreement)
        i ~now ~(support|favou?r|agree|accept|endorse)|i ~(support|favou?r|agree|accept) ~now
        i ~give you (the|this) <win>|the <win> is yours(?! to)|you have the better|i ~defer to you
        (we|us) ~do it your way
    """,
    error=r"""
        i ~(concede|yield|surrender)( (it|this|this one|defeat|to (you|pro|con)|entirely|fully|completely|
          (the|your|this) (whole )?<win>)( \w+ly)?)?(?= [,]| $| and )
        i (was|am|have been|must have been) ~(wrong|mistaken|in error|too hasty|hasty|misled|misinformed|naive|blind)
        stand corrected|my (mistake|error|bad|oversight|apologies)(?= [,]| $)
        i (admit|accept) (my |the )?(error|mistake)
        i ~(misjudged|misread|misunderstood|overlooked|underestimated|overestimated|miscalculated|made a mistake)
        i ~(had|got) ~(it wrong|this wrong|backwards|upside down|mixed up|the wrong way)
        (fully|completely|totally|entirely|wholeheartedly) agree
        agree (with (you|your \w+|that|this|it) )?(fully|completely|entirely|wholeheartedly|totally|with everything)
        your ~<plan> (is|are|was|were) ~(better|stronger|best|superior|right|correct)
        your ~<plan> (is|was) ~the (right|better|best|correct|stronger|wiser) (one|choice|answer|way|option)
        (you|pro|con|opponent) ~(have|has|had|make|makes|made) ~the (stronger|better|sounder|more \w+) (case|
          arguments?|position)
        i ~accept (the|your) (whole )?(motion|proposal|arguments?|case|position|conclusion|plan|reasoning)|i ~join you
        i ~(concede|admit|accept|acknowledge|agree|see|recogni[sz]e)( now)? that( [^ ,]+){1,6} (is|are|has|have|was)
          ~the (better|best|right|stronger|superior|correct|wiser) (choice|option|way|approach|solution|answer|case|
          plan|policy)|(<kill>)\w* ~my ~<own>
        you have (shown|proved|proven|told) me ~(wrong|mistaken|(the|my) error( (in|of) (my|the) \w+)?)
        i (was|have been) ~(defending|arguing|holding on to|looking at|clinging to) ~(mistake|error|wrong|illusion)
        contradicts the assumption on which i|that settles ~for me|(better|stronger|sounder|more \w+) (\w+ )?than mine
    """,
    grant=r"""
        (you|he|she|they|pro|con|opponent) (are|is|were|was|have been) ~(right|correct)
        (supports?|favou?rs?|backs?|vindicates?) your ~<plan>|you ~(have )?got (it|this|that) right
        i ~now (believe|see)
        well argued|i give up|you have (a|got a) ~point|you have convinced(?! me)|you ~make ~(point|case|argument)
        i ~agree|agreeing with|in (full |complete )?agreement|agreed|i ~concur|i ~concede(?! (nothing|none|no)\b)
        (point|all|everything) conceded
        (fair|good|excellent|valid|strong|great|legitimate|reasonable|solid|compelling|persuasive|convincing)
          (points?|enough|arguments?|case|observation|objection)
        point taken|well (put|said|argued)|granted|touche|hats? off|makes (perfect |complete |good )?sense
        (that|this|it) is ~(true|right|correct|fair|convincing|compelling|persuasive|undeniable)
        (evidence|facts|figures|numbers|data) (is|are) (on your side|with you)|answered (everything|all|every)
        i can not (deny|dispute|disagree)|i ~(accept|grant|admit|acknowledge|recogni[sz]e)(?! (nothing|none)\b)
        your ~<plan> (is|are|was|were) ~(overwhelming|conclusive|compelling|decisive|irrefutable|undeniable|
          convincing|sound)|your ~<plan> (follows?|holds?|stands?|wins?|prevails?|carries|carry)
    """,
    accept=r"""
        works? ~for ~(me|us|both|everyone)|(fine|good|okay|ok|great) (with|by|for) (me|us)|suits (me|us)|can live with
        i (am|will be|would be) ~(happy|fine|okay|ok|good|content|comfortable|satisfied|on board|in favou?r|all for|
          for it)|i ~(support|back|endorse|second|favou?r|approve|welcome|vote (for|in favou?r|yes)|sign|join)
        i (am |will be )?in(?= [,]| $)
        i ~like ~(it|that|this|the (idea|plan|proposal|compromise|mix))|let us (go with|do it|do that|adopt|take)
        i am for (it|this|that|the|your)|sounds (good|great|right|perfect|fine)|all for it|happy with|ready to sign
        i am with \w+|i stand by it
        no (objections?|complaints?|problem|reservations?|issues?)|nothing against (it|that|this)|unanimous
        we ~(all )?agree|we are ~agreed|that makes (two|three|four|five|six|all|both) of us|it is settled
        (good|great|fine|excellent|sensible) (plan|idea|compromise|solution)|count me in|you can count on me
        (voted?|voting|vote) (yes|for it|in favou?r)
        (yes|yep|yeah|absolutely|exactly|definitely|of course|perfect|deal)(?= [,]| $)
    """,
    support=r"""
        i (had not|did not|never|hardly) ~(thought?|consider(ed)?|known?|reali[sz]ed?|seen?|expect(ed)?|aware|heard?)
        i (had not|did not|never|hardly) ~(look(ed)?|understo+d?|appreciated?)|i had assumed|i was (measuring|looking)
        (what|everything|thing|all) i ~(feared|worried about|argued|claimed|objected to|was afraid of)
        had (my|some) doubts|i came (in|into)|i started out|i (kept|have been) (<resist>)ing|cleared up
        point i was missing|made your case|there goes my
        i (was|have been) (too )?(stubborn|hasty|unfair|blind|sceptical|skeptical|afraid|worried|assuming|
          wrong headed)|sorry (for|that|to)|(answers?|answered) my (last |main |only )?(question|doubt|concern)
        i am (fully )?satisfied|made me (see|think|reali[sz]e|reconsider|look)
        (see|saw|look at) (it|this|that) ~(differently|new light|other way)
        enlightening|illuminating|instructive|that does it|out of date|outdated|(sceptic|skeptic) in me
        thank you|thanks for|opened my eyes|eye opener|(i|we) apologi[sz]e|after all(?= [,]| $)
        (changes|change) (things|everything|the picture|matters|my)|used to (believe|think|be)
    """,
)


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
