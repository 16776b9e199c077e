"""The Spanish small words that negate, report, narrow, turn or say nothing (accents are dropped)."""

from .lexicon import Grammar

SPANISH_GRAMMAR = Grammar(
    negation="no|nunca|jamas|tampoco|ni|nadie|nada|lejos de|en vez de|en lugar de",
    harmless=r"""
        sin duda|no solo|no (cabe|hay) duda( de que)?|no (puedo|podemos) (sino|menos que)|desde luego|como si
        no (me|nos) queda (mas remedio|otra|otro remedio)( que)?|no tengo mas remedio que
        no (puedo|se puede) negar( que)?|aunque no lo parezca|a que no
    """,
    condition=r"""
        si|cuando (me|nos)|antes de (decir|aceptar|votar|firmar)|siempre que|siempre y cuando|con tal de|a condicion
        salvo que|ojala|en cuanto|el dia que|supongamos
    """,
    modal="quiza|quizas|tal vez|podria|puede que|a lo mejor|casi",
    concessive="aunque|si bien|pese a|a pesar de|por mas que|por mucho que|aun cuando",
    counter=r"""
        pero|sin embargo|no obstante|ahora bien|aun asi|con todo|en cambio|aunque|mas bien|salvo|excepto|solo que
        por otro lado|por otra parte|si bien|a pesar de|pese a|mientras que|lo que no|otra cosa|cosa distinta|todavia
        sino
    """,
    report=r"""
        (conto|contaba|dijo|aseguro|prometio|informo) ([^ ,]+ ){1,3}que
        (dijo|dice|dices|decia|decir|diga|diciendo|dicho|conto|cuenta|escribio|afirma|afirmo|asegura|aseguro|admitio|
          reconocio|palabras?|frase|lema|oir|oi|cree|crees|pretende|titulad[oa]|
          llamad[oa])( (a|me|nos|le|les|que|,|y|el|ella|usted|tu|ellos))*( en \w+ \w+)?( que)?
    """,
    narrows="que|en|sobre|respecto|de|cuando|donde|porque|lo de",
    names="con|lo|la|el|los|las|para|al|a|esa|ese|esta|este",
    whole=r"""
        ((en|con|a|de|por) )?(todo|toda|todos|ti|tigo|usted|(tu|su) \w+|ello|eso|esto|ambos|los dos|
          el (resto|plan|proyecto|cambio|debate|punto|argumento)|la (mocion|propuesta|medida|compra|idea|reforma|ley|
          inversion))
          (?=( (lo demas|lo dicho|ahora|ya|tambien|entonces|por completo))*( [,]| $| y ))
    """,
    partly=r"""
        en parte|parcialmente|hasta cierto punto|en cierto modo|en cierta medida|parte de razon
        en (ese|este|eso|esto|aquel) (punto|aspecto|sentido)?|en lo de|en principio|en teoria|a efectos de
        una (sola )?cosa
    """,
    stop="""
        a al algo alguien algun alguna algunas alguno algunos ante antes aqui asi aun aunque cada casi como con
        contra cosa cual cuales cualquier cuando cuanto da dar de del desde donde dos e el ella ellas ello ellos en
        entre era eran eres es esa esas ese eso esos esta estaba estan estar estas este esto estos estoy fue fueron
        ha habia hace hacen hacer han has hasta hay he hecho hemos igual incluso la las le les lo los luego mas me
        mi mientras mis misma mismo mucha muchas mucho muchos muy nada ni no nos nosotros nuestra nuestras nuestro
        nuestros o os otra otras otro otros para pero poco por porque puede pueden puedo pues que quien quienes se
        sea sean segun ser sera si sido siempre sin sino sobre solo son soy su sus tal tambien tampoco tan tanto te
        tenemos tener tengo ti tiene tienen tienes toda todas todavia todo todos tu tus un una unas uno unos usted
        ustedes va vamos van vosotros voy y ya yo
    """,
    idle="""
        acuerdo adelante ah ay bah bien bueno cierto claro conforme creo decidid decidir decir deja dejamos dejo
        dices dicho digo eh exacto favor fin gracias gusta hm idea mal mala mira ok oye parece perdon perfecto quiza
        quizas sabes sabras sabre sii sinceramente sirve supongo vale vaya ver verdad veremos vez
    """,
)
