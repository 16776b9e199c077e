"""What English speakers say when they give way or go along."""

from .lexicon import Yielding

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
