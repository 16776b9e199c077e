"""What Spanish speakers say when they give way, object, hedge, repeat themselves or have done with it.

Patterns are matched against folded words (no accents); `~` stands for up to three words in between that do not negate.
"""

from .lexicon import Lexicon

_OWN = "(objecion(es)?|oposicion|postura|posicion|argumentos?|tesis|reparos?|dudas?|temor(es)?|preocupacion(es)?|critica|criticas|planteamiento|motivos?|razones)"
_YOURS = "(tu|su|vuestra|vuestro|tus|sus)"
_PLAN = "(propuesta|plan|argumentos?|postura|posicion|solucion|idea|planteamiento|tesis|datos|cifras|pruebas|razonamiento)"

SPANISH = Lexicon(
    surrender=(
        "(retir(o|amos|are)|abandon(o|amos|are)|renunci(o|amos|are) a|desist(o|imos) de) ~(lo|la|el|mi|mis|nuestra|nuestro|esa|ese|eso|todo|toda|las|los)",
        "lo retir(o|amos)|me (rindo|retracto|desdigo|doy por vencid[oa]|declaro vencid[oa]|bajo del burro)|nos rendimos|"
        "tiro la toalla|(doy|dare|tengo que dar) ~mi brazo a torcer|claudico|capitulo|cedo(?= [,]| $| ante| en todo)",
        "(cambio|cambie|cambiado|cambiar|cambiamos) (de )?(mi )?(opinion|parecer|postura|idea|posicion|voto|bando|bandera|punto de vista|manera de pensar)",
        "(has|ha|habeis|han) (logrado |conseguido )?(convencid|convencer|persuadid|hecho cambiar|hecho ver|ganado|abierto los ojos|desmontado|dejado sin)\\w*",
        "me (convence|convences|convenciste|convencio|convencieron|convencen|persuadiste|persuade)(?! (de|que))",
        "(estoy|quedo|he quedado|me quedo|me doy por|salgo) ~(convencid[oa]|persuadid[oa]|vencid[oa]|derrotad[oa])(?! (de|que))",
        "(ganas|ganaste|has ganado|ha ganado|gana usted|tu ganas|usted gana|ganais)(?= [,]| $| esta| este| la| el)",
        "ya no ~(puedo|podemos) ~(defender|sostener|mantener|oponerme|seguir|negar|justificar|objetar)",
        "no ~(puedo|podemos|tiene sentido|voy a|pienso) ~(seguir|continuar) (defendiendo|oponiendome|sosteniendo|manteniendo|negando|discutiendo|insistiendo)",
        "no (puedo|sabria|sabria como) ~(rebatir|refutar|rebatirlo|refutarlo|rebatirte|contradecir|discutirlo|discutirtelo|objetar|contestar a eso|responder a eso)",
        "ya no (me opongo|lo creo|creo|pienso|defiendo|sostengo|tengo|veo|me parece|discuto)|dejo de (oponerme|defender|insistir)",
        "no (puedo|podemos|cabe|queda) (sino|menos que|mas que|otra que) (apoyar|aceptar|dar|reconocer|admitir|ceder|rendir)\\w*",
        "(no|ya no|ni) (me |nos )?(tengo|tenemos|queda|quedan|encuentro|veo|pongo|hay) ~(mas |ninguna? |ningun )?(objecion(es)?|reparos?|argumentos?|respuesta|"
        "inconvenientes?|replica|nada que (objetar|oponer|rebatir|discutir|reprochar))|sin (mas )?objeciones",
        "ninguno de (los|mis) (inconvenientes|reparos|argumentos|temores|motivos)",
        f"mi(s)? {_OWN} ~(ya )?(no (se )?(sostienen?|sirven?|valen?|aguantan?|tienen?|procede|resiste|queda)|se (cae|caen|derrumban?|hunde|desmorona)|"
        "(queda|quedan|esta|estan|ha quedado) (resuelt[oa]s?|desmontad[oa]s?|contestad[oa]s?|despejad[oa]s?|superad[oa]s?|aclarad[oa]s?|sin (base|fundamento|sustento)))",
        "(estoy|me pongo|me paso|paso|vengo) (de|a) (tu|su|vuestro) (lado|bando|parte)|me (sumo|uno|adhiero|paso) a (tu|su|la|vuestra|lo)",
        "(te|le|os|les) doy ~(la razon|la victoria|por ganador)|(tenias|tenia|teniais) ~(toda )?(la )?razon (desde|y yo)|razon desde el principio",
        "(cuenta|cuente|cuenten|contad) con(migo| mi)|(tienes|tiene|teneis) mi (voto|apoyo|firma|bendicion)|me quito el sombrero",
        "(hagamos|hagamoslo|lo hacemos|se hara|hagase) ~(a tu|a su|como (tu |usted )?(dices|dice|propones|propone|quieres|quiere))",
    ),
    error=(
        "(estaba|estabamos|estuve|estoy|he estado|andaba) ~(equivocad[oa]s?|en un error|errad[oa]|ciego|ciega)",
        "me ~(equivoque|equivocaba|equivocado|precipite|confundi|confundido|pase de listo)|nos equivoc\\w+|(fue|ha sido|era) ~(error mio|culpa mia|mi error)",
        "(mi|era un|fue un) error(?= [,]| $)|rectifico|(admito|reconozco|acepto) (mi|el|la) (error|derrota|equivocacion)|mea culpa|pequ[eé] de",
        "(totalmente|completamente|plenamente|absolutamente|enteramente|del todo) de acuerdo|de acuerdo (en todo|contigo|con usted|por completo|completamente)",
        "(tienes|tiene|teneis|tienen) (toda|mucha|mas) (la )?razon|no (hay|cabe) discusion",
        f"{_YOURS} {_PLAN} (es|son|era|resulta) ~(mejor|mejores|superior|la correcta|el correcto|mas solid\\w+)|(reconozco|admito|acepto|concedo) que ([^ ,]+ ){1,6}(es|son|era) (claramente )?(la|el|lo) (mejor|correct[oa]|mas sensat[oa]|acertad[oa])",
        "(lo )?conced(o|emos)(?= [,]| $| el (punto|debate|argumento))",
    ),
    grant=(
        "(tienes|tiene|teneis|tienen|llevas|lleva|tenias|tenia) ~razon|con razon",
        "(estoy|estamos) ~de acuerdo|de acuerdo(?= [,]| $)|coincid(o|imos)|compart(o|imos)|concuerdo|convengo",
        "(admito|reconozco|acepto|concedo|asumo|admitimos|reconocemos|aceptamos)",
        "(buen|buena|gran) (punto|argumento|observacion|objecion)|bien (visto|dicho)|tocad[oa]|touche|punto para (ti|usted)",
        "(es|eso es) ~(verdad|cierto|justo|razonable|convincente|irrefutable)|tiene ~(sentido|logica)|me parece (bien|justo|correcto|razonable|perfecto)",
        "(no )?(puedo|se puede) negar|estas en lo cierto|esta en lo cierto|cierto(?= [,]| $)|aciertas|acierta usted",
        f"{_YOURS} {_PLAN} (es|son|era|resulta) ~(convincent\\w+|contundent\\w+|irrefutabl\\w+|solid\\w+|demoledor\\w*|impecabl\\w+)",
    ),
    accept=(
        "me (parece|va|viene|suena) ~(bien|perfecto|genial|estupendo|correcto|justo|de maravilla)|por mi(?= [,]| $| parte| bien| vale| adelante)|"
        "me (gusta|encanta|vale|sirve|basta|quedo tranquil[oa])|conforme",
        "(apoyo|apoyamos|apoyare|respaldo|suscribo|secundo|voto|votare|firmo|aprobamos|apruebo|aplaudo) ",
        "(lo|la) (apoyo|respaldo|suscribo|secundo|firmo|apruebo)|a favor|de acuerdo|estoy con|me (sumo|uno|apunto)|yo tambien|lo mismo digo|igualmente",
        "perfecto|genial|estupendo|hecho(?= [,]| $)|adelante|trato hecho|vale(?= [,]| $)|sii (?=,|$)|claro que si|exacto|acordado|unanim\\w+|"
        "(estamos|quedamos) ~(de acuerdo|en la misma linea|conformes)|sin (problema|objecion)|ningun problema|ninguna objecion|todos de acuerdo|no pido nada mas|la mia tambien",
        "(nada|ninguna?) ~(que )?objetar|cuenta conmigo|me convence",
    ),
    support=(
        "no (lo |la )?(sabia|conocia|habia (pensado|visto|caido|considerado|tenido en cuenta)|me habia|imaginaba|esperaba|contaba con)",
        "(subestime|pase por alto|no vi|no cai)|lo que (yo )?(temia|me preocupaba|senalaba|decia|me quitaba)|retiro|gracias|"
        "(tenia|tuve) (mis )?dudas|me has abierto|no (vuelvo|volvere) a|no deja lugar a dudas|(queda|quedan|esta) ~(resuelt|cubiert|contestad|aclarad)\\w+",
    ),
    resolve=("apoyo|votare|adelante|hagamoslo|hagamos|que se (quede|haga|queden)|vamos a|entonces",),
    concessive="aunque|si bien|pese a|a pesar de|por mas que|por mucho que|aun cuando",
    counter=(
        "pero|sin embargo|no obstante|ahora bien|aun asi|con todo|en cambio|aunque|mas bien|salvo|excepto|solo que|por otro lado|por otra parte|"
        "si bien|a pesar de|pese a|mientras que|lo que no|otra cosa|cosa distinta|todavia|sino",
    ),
    object=(
        "me (opongo|niego|resisto)|discrepo|disiento|objeto|rechazo|no (lo |la )?(veo|acepto|comparto|admito|apoyo|suscribo|concedo)|en contra",
        "no ~(estoy|estamos) ~(de acuerdo|convencid[oa]|segur[oa]|conforme)|no me (convence|convences|gusta|parece|fio|sirve|vale|has)",
        "(el|mi|un) (problema|inconveniente|pega|reparo|objecion) (es|sigue|esta|persiste)|no (basta|es suficiente)|mientras no|hasta que no|a menos que",
        "(ignora|olvida|pasa por alto|omite|confunde|se olvida)s?|no (es|se trata de) (lo mismo|la cuestion|eso)",
    ),
    negation=("no|nunca|jamas|tampoco|ni|nadie|nada|lejos de|en vez de|en lugar de",),
    harmless="sin duda|no solo|no cabe duda( de que)?|no hay duda( de que)?|no (puedo|podemos) (sino|menos que)|no (me|nos) queda (mas remedio|otra|otro remedio)"
    "( que)?|no tengo mas remedio que|no (puedo|se puede) negar( que)?|como si|aunque no lo parezca|que no|a que no|desde luego",
    condition="si|siempre que|siempre y cuando|con tal de|a condicion|salvo que|ojala|en cuanto|el dia que",
    modal="quiza|quizas|tal vez|podria|a lo mejor|casi",
    report="(dijo|dice|dices|decia|decir|diciendo|dicho|conto|cuenta|escribio|afirma|afirmo|asegura|aseguro|admitio|reconocio|palabras?|frase|lema|"
    "titulad[oa]|oir|oi|cree|crees|pretende|llamad[oa])( a)?( me| nos| le| que| ,| y| el| ella| usted| tu| ellos)*( en \\w+ \\w+)?( que)?",
    narrows="que|en|sobre|respecto|con|de|cuando|donde|porque|lo|la|el|los|las|para|al|a",
    whole="(en|con|a|de|por)?( todo| toda| todos| ti| contigo| usted| tu \\w+| su \\w+| ello| eso| esto| ambos| el resto| la mocion| la compra| la propuesta| los dos| completo)"
    "( lo demas| lo dicho| ahora| ya| tambien| y| entonces)*(?= [,]| $| y )",
    partly="en parte|parcialmente|hasta cierto punto|en cierto modo|en cierta medida|en (ese|este|eso|esto|aquel) (punto|aspecto|sentido)?|en lo de|en principio|en teoria|a efectos de|una (sola )?cosa",
    closing=(
        "(nada|poco) (mas )?(que )?(anadir|decir|agregar|hablar|discutir)|sin (mas )?comentarios|lo dejo (aqui|ahi|estar)|dejemoslo|dejalo|lo dejamos|dejemos",
        "(lo )?que (tu |vosotros |usted )?(digas|quieras|quieran|diga|querais|digais)|da (lo mismo|igual)|me es indiferente|como (quieras|quieran|querais|usted quiera|gustes)",
        "(ya )?(lo )?(hemos|habiamos) (hablado|dicho|discutido)|ya lo (dije|dijiste|has dicho|dijimos|sabes)|cada (uno|cual|quien) (con|a|su|tiene|que)|ya veremos|ya se vera",
        "(decidid|decide|decidan|decidais|decidis) (vosotros|tu|ustedes)?|no (se|tengo) (que|nada|mas)|yo tampoco|a mi tambien|en fin|bueno (, )?pues|pues (nada|eso|vale|no se|bueno)|"
        "no (insisto|sigo|vale la pena|merece la pena|hay manera|tiene caso)|ya (esta|basta)|(hasta )?aqui (queda|lo dejo|termino)|para que seguir|es inutil|si tu lo dices|si usted lo dice|"
        "(lo )?mismo de siempre|otro dia|paso(?= [,]| $)|ya (, )?bueno|punto final|que mas (quieres|da)|mil veces|no llegamos a (nada|ningun)|mejor (lo )?dej\\w+",
    ),
    again=(
        "como (ya )?(yo )?(tambien )?(he )?(dije|dicho|decia|explique|explicado|senale|senalado|mencione|mencionado|comente|apunte|indique|venia diciendo)",
        "(lo |te lo |os lo |yo te )?repito|insisto|reitero|vuelvo a (lo mismo|decir|repetir|insistir|senalar)|otra vez|de nuevo|una vez mas|sigo diciendo|"
        "lo mismo (que|de) (antes|siempre)|(ya )?(lo |te lo |os lo )?(he dicho|dije)( antes| ya)?|mi (argumento|postura) (sigue|es el mismo|es la misma|no cambia)|como digo|digo yo que|"
        "(en|dando) (circulos|vueltas)|nos repetimos|te repites|mantengo lo|me reafirmo|recalco|(ya )?he explicado",
    ),
    stop=frozenset(
        "a al algo alguien algun alguna algunas alguno algunos ante antes aqui asi aun aunque cada casi como con contra cosa cual cuales cualquier cuando cuanto da "
        "dar de del desde donde dos e el ella ellas ello ellos en entre era eran eres es esa esas ese eso esos esta estaba estan estar estas este esto estos estoy "
        "fue fueron ha habia hace hacen hacer han has hasta hay he hemos igual incluso la las le les lo los luego mas me mi mientras mis mismo misma muchas mucho "
        "muchos muy nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros para pero poco por porque pues puede pueden puedo que quien "
        "quienes se sea sean segun ser si sido siempre sin sino sobre solo son soy su sus tal tambien tampoco tan tanto te tener tengo tenemos ti tiene tienen tienes "
        "toda todas todavia todo todos tu tus un una unas uno unos usted ustedes va vamos van vosotros voy y ya yo hecho sera ser".split()
    ),
    idle=frozenset(
        "ah ay bah bien bueno claro cierto creo decir dices digo dicho en fin gracias hm idea mal mira nada ok oye perdon perfecto quiza quizas sabes se supongo "
        "vale vaya veremos ver verdad vez acuerdo adelante eh exacto favor conforme igual parece gusta decidir decidid dejo deja dejamos sinceramente sirve mala".split()
    ),
)
