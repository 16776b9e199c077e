"""The Spanish small words that negate, report, narrow, turn or say nothing (accents are dropped)."""

from ..lexicon import Grammar, Talking, Yielding

SPANISH_YIELDING = Yielding(
    nouns={
        "own": "objecion(es)?|oposicion|postura|posicion|argumentos?|tesis|reparos?|dudas?|temor(es)?|"
        "preocupacion(es)?|criticas?|planteamiento|motivos?|razones|propuesta|voto|candidatura",
        "view": "opinion|parecer|postura|idea|posicion|voto|bando|punto de vista|manera de pensar",
        "plan": "propuesta|plan|argumentos?|postura|posicion|solucion|idea|planteamiento|tesis|datos|cifras|pruebas|"
        "razonamiento|conclusion|mocion",
        "drop": "retir|abandon|revoc|descart|rectific|revis|renunci|desist|depong|modific|ajust",
        "kill": "romp|tumb|desmont|respond|resuelv|disip|despej|echa|desarm|derrib|acab|contest|invalid|"
        "rebat|refut|deshac",
        "your": "tu|su|vuestra|vuestro|tus|sus",
        "beaten": "convencid[oa]|persuadid[oa]|vencid[oa]|derrotad[oa]",
    },
    surrender=r"""
        (retir(o|amos|are)|abandon(o|amos|are)|renunci(o|amos|are) a|desist(o|imos) de) ~
          (mi|mis|nuestra|nuestro|la|el|las|los|esa|ese) ~<own>|retir(o|amos|are) (lo|todo lo)|lo retir(o|amos)
        (renunci(o|amos) a|abandon(o|amos)) (la|el|mi|nuestra|nuestro|esta|este) \w+|nos rendimos|tiro la toalla
        (<drop>)(o|amos|imos|are|ado) ~(mi|mis) ~<own>|me (inclino|pliego|someto|rindo) ante
        (me quedo|me he quedado|estoy|me dejas?|me has dejado) ~sin (replica|argumentos|respuesta|palabras|objeciones)
        (considera|considere|apunta|apunte|cuenta|pon|ponga)me ~(convencid[oa]|como un sii|en el sii|entre)
        doy por (buen|valid)[oa] (tu|su|la|el)|el (punto|debate) es (tuyo|suyo)(?! de)|ya no (puedo|podemos) oponer\w+
        me (retracto|desdigo|doy por vencid[oa]|declaro vencid[oa]|bajo del burro|quito el sombrero)
        (doy|dare|dar) ~mi brazo a torcer|claudico|cedo(?= [,]| $| ante| en todo)
        (cambio|cambie|he cambiado|cambiare) (de|mi) ~<view>|me (has|ha|habeis|han) hecho ~(cambiar|ver(lo|la)?)
        me (has|ha|habeis|han) ~(convencid|persuadid|convencer|abierto los ojos|desmontado|dejado sin|ganado)\w*
          (?! de que (((tu|usted|ustedes|vosotros) (no|nunca|jamas))|((no|nunca|jamas) (has|habeis|\w+[ai]ste(is)?|
          leyo|oyo|escucho|entendio|comprendio)))\b)
        me (convence|convences|convenciste|convencio|convencieron|convencen|persuadiste|persuade)(?! (de|que))
        (estoy|quedo|he quedado|me quedo|me doy por|salgo) ~<beaten>(?! (de|que))
        (ganas|ganaste|has ganado|ha ganado usted|gana usted|tu ganas|usted gana|ganais)
          (?= [,]| $| (esta|este|el|la) (debate|discusion|vez|punto|ronda))
        (he perdido|perdi|perdimos)(?= [,]| $| (el|la|esta|este) (debate|discusion|batalla|argumento))
        ya no ~(puedo|podemos) ~(defender|sostener|mantener|oponerme|seguir|negar|justificar|objetar)
        no (puedo|podemos|tiene sentido|voy a|pienso) ~(seguir|continuar) ~
          (defendiendo|oponiendome|oponiendonos|sosteniendo|manteniendo|negando|discutiendo|insistiendo)
        no tiene ~sentido que (siga|sigamos)|no (puedo|sabria) ~(rebatir|refutar|contradecir|objetar|discutir)\w*
        no (puedo|podemos|cabe|queda) (sino|menos que|mas que|otra que) (apoyar|aceptar|dar|reconocer|admitir|
          ceder)\w*|ya no (me opongo|defiendo|sostengo|(lo )?discuto|tengo (nada|argumentos|dudas|objeciones))
        dejo de (oponerme|defender|insistir)|no (hay|tengo) nada que (objetar|oponer|rebatir|reprochar)
        (no|ya no|ni) ((me|nos) )?(tengo|tenemos|queda|quedan|encuentro|veo|pongo) ~
          (objecion(es)?|reparos?|argumentos?|respuesta|inconvenientes?|replica|nada que (objetar|oponer|rebatir))
        (no|ni) veo ninguno de|sin (mas )?objeciones
        mis? <own> ~(ya )?no (se )?(sostienen?|sirven?|valen?|aguantan?|tienen?|procede|resiste)
        mis? <own> ~(se (cae|caen|derrumban?|hunde|desmorona))
        mis? <own> (ya )?(queda|quedan|esta|estan|ha quedado) ~
          (resuelt|desmontad|contestad|despejad|superad|aclarad|sin (base|fundamento|sustento))\w*
        (todas )?mis <own> estan ~resuelt[oa]s|(estoy|me pongo|me paso|paso) (de|a) (tu|su|vuestro) (lado|bando|parte)
        me (sumo|uno|adhiero|paso) a (tu|su|la|vuestra|lo)|(te|le|os|les) doy ~(la victoria|por ganador)
        (tenias|tenia usted|teniais|tienes|usted tenia) ~razon (desde|y yo)
        (cuenta|cuente|cuenten|contad) con(migo| mi)|(tienes|tiene|teneis) mi (voto|apoyo|firma|bendicion)
        ahora ~(apoyo|estoy (a favor|de acuerdo)|veo claro)|(hagamos|hagamoslo|lo hacemos|se hara|se hace|hagase) ~
          (a tu|a su|como (tu |usted )?(dices|dice|propones|propone|quieres|quiere))
    """,
    error=r"""
        (te|le|os|les) (da|dan) la razon|(te|le|os|les) doy ~la razon|(darte|darle|daros|darles) la razon|rectifico
        mea culpa
        (estaba|estabamos|estuve|estoy|he estado|andaba) ~(equivocad[oa]s?|en un error|errad[oa]|ciego|ciega)
        me ~(equivoque|equivocaba|equivocado|precipite|confundi|confundido)|nos equivoc\w+
        (mi|fue un|era un) error(?= [,]| $)|(fue|ha sido|era) ~(error mio|culpa mia|mi error)
        (admito|reconozco|acepto) (mi|el|la) (error|derrota|equivocacion)
        (totalmente|completamente|plenamente|absolutamente|enteramente|del todo) de acuerdo
        de acuerdo (en todo|contigo|con usted|por completo|completamente)
        (tienes|tiene|teneis) (toda|mucha) (la )?razon
        <your> <plan> (es|son|era|resulta) ~(mejor|mejores|superior|la correcta|el correcto|mas solid\w+)
        (reconozco|admito|acepto|concedo) que( [^ ,]+){1,6} (es|son|era) ~(mejor|correct[oa]|sensat[oa]|acertad[oa])
        (<kill>)\w* ~(mi|mis|toda mi|todo mi) ~<own>
        acepto (la|tu|su|el) <plan>|(lo )?conced(o|emos)(?= [,]| $| el (punto|debate|argumento))
    """,
    grant=r"""
        me rindo|(tienes|tiene|teneis|tienen|llevas|lleva|tenias|tenia) ~razon|(estoy|estamos) ~de acuerdo
        de acuerdo(?= [,]| $)
        coincid(o|imos)|compart(o|imos)|concuerdo|convengo|admito|reconozco|acepto|concedo|asumo|admitimos|reconocemos
        (buen|buena|gran) (punto|argumento|observacion|objecion)|bien (visto|dicho)|tocad[oa]|punto para (ti|usted)
        (es|eso es) ~(verdad|cierto|justo|razonable|convincente|irrefutable)|tiene ~(sentido|logica)
        (evidencia|datos|hechos|pruebas) estan? de (tu|su) lado|(puedo|se puede) negar|(estas|esta) en lo cierto
        (?<!por )cierto(?= [,]| $)|aciertas|acierta usted
        <your> <plan> (es|son|era|resulta) ~(convincent|contundent|irrefutabl|solid|demoledor|impecabl|imbatibl)\w*
    """,
    accept=r"""
        me (parece|va|viene|suena) ~(bien|perfecto|genial|estupendo|correcto|justo|de maravilla|razonable)
        por mi(?= [,]| $| parte| bien| vale| adelante)|me (gusta|encanta|vale|sirve|basta|quedo tranquil[oa])
        (apoyo|respaldo) (la|el|lo|tu|su|esa|ese|esta|este|vuestra)|(lo|la) (apoyo|respaldo|suscribo|firmo|apruebo)
        apoyamos|apoyare|suscribo|secundo|apruebo|aprobamos|voto (a favor|que si|por)|votare (a favor|que si|por)
        (estoy|yo|todos) a favor|estoy con|me apunto|conforme(?= [,]| $)|(?<!mas )adelante(?= [,]| $| con)
        (perfecto|genial|estupendo|exacto|vale|sii|si|claro que si|trato hecho)(?= [,]| $)|(?<!de )hecho(?= [,]| $)
        (estamos|quedamos|queda) ~(de acuerdo|acordado|en la misma linea|conformes)|unanim\w+|todos de acuerdo
        sin problema|ningun problema|ninguna objecion|no pido nada mas|la mia tambien
    """,
    support=r"""
        no (lo |la )?(sabia|conocia|me habia|imaginaba|esperaba|contaba con)|me has abierto|gracias
        no (vuelvo|volvere) a
        no (lo |la )?habia (pensado|visto|caido|considerado|tenido en cuenta)|subestime|pase por alto|no (vi|cai)
        lo que (yo )?(temia|me preocupaba|senalaba|decia|me quitaba)|(tenia|tuve) (mis )?dudas|no deja lugar a dudas
        (queda|quedan) ~(resuelt|cubiert|contestad|aclarad)\w+|hasta ayer|me oponia|siento (haber\w*|no haber\w*|el)
        perdona|perdon|disculp\w+|anticuad[oa]s?|desfasad[oa]s?
        (respond|contest)\w+ a mi (ultima |unica )?(pregunta|duda)|he sido un[oa]? \w+|bien argumentado
        lado equivocado
    """,
)


SPANISH_TALKING = Talking(
    object=r"""
        me (opongo|niego|resisto)|discrepo|disiento|objeto|rechazo
        no (lo |la )?(veo|acepto|comparto|admito|apoyo|suscribo)
        no ~(estoy|estamos) ~(de acuerdo|convencid[oa]|segur[oa]|conforme)
        no me (convence|convences|gusta|parece|fio|sirve|has)
        en contra|(el|mi|un) (problema|inconveniente|pega|reparo|objecion) (es|sigue|esta|persiste)
        no (basta|es suficiente)
        mientras no|hasta que no|a menos que|(ignora|olvida|pasa por alto|omite|confunde|se olvida)s?
        no es (lo mismo|la cuestion)
    """,
    closing=r"""
        (nada|poco) (mas )?(que )?(anadir|decir|agregar|hablar|discutir)|sin (mas )?comentarios|(dejemos|deja)lo
        lo dejamos
        lo dejo (aqui|ahi|estar)|dejemos|(lo )?que (tu |vosotros |usted )?(digas|quieras|quieran|diga|querais|digais)
        da (lo mismo|igual)|me es indiferente|como (quieras|quieran|querais|usted quiera|gustes)|ya veremos|ya se vera
        (ya )?(lo )?(hemos|habiamos) (hablado|dicho|discutido)|ya lo (dije|dijiste|has dicho|dijimos|sabes)
        cada (uno|cual|quien) (con|a|su|tiene|que)|(decidid|decide|decidan|decidais) (vosotros|tu|ustedes)?
        no (se|tengo) (que|nada|mas)|en fin|(bueno (, )?)?pues (nada|eso|vale|no se|bueno|muy bien)
        si (tu|usted) lo dice\w*|no (insisto|sigo|vale la pena|merece la pena|hay manera|tiene caso)|ya (esta|basta)
        aqui (queda|lo dejo|termino)
        para que seguir|es inutil|lo mismo de siempre|otro dia|paso(?= [,]| $)|ya (, )?bueno|punto final|punto muerto
        callejon sin salida|tengo que irme|adios|dicho (todo )?lo que|mil veces
        que mas (quieres|da)|ponernos de acuerdo|(cansad|hart)[oa] de|(esta|queda) ~todo dicho
        no llegamos a (nada|ningun)|mejor (lo )?dej\w+
    """,
    meta=r"""
        seguir|continuar|discusion|debate|discutir\w*|termin\w+|acab\w+|lo que (pienso|opino|creo)|entende\w+|interesa
        (el|este|del) tema|lleg\w+ a|ninguna parte|opinion|conversacion|repeti\w+|(mas|eso) (que decir|es todo)
        al respecto
    """,
    again=r"""
        como (ya )?(yo )?(tambien )?(he )?(dije|dicho|decia|explique|explicado|senale|senalado|mencione|comente|
          apunte)
        (lo |te lo |os lo |yo te )?repito|insisto|reitero|vuelvo a (lo mismo|decir|repetir|insistir|senalar)|recalco
        otra vez|de nuevo|una vez mas|sigo diciendo|lo mismo (que|de) (antes|siempre)
        (lo |te lo |os lo )?(he dicho|dije)
        mi (argumento|postura) (sigue|es el mismo|es la misma|no cambia)|como digo|digo yo que
        (en|dando) (circulos|vueltas)|nos repetimos|te repites|mantengo lo|me reafirmo|ya he explicado
    """,
    echo=r"""
        yo (tambien|igual|tampoco)|a mi (tambien|tampoco)|igualmente|lo mismo (digo|pienso)|ni yo|idem|opino lo mismo
    """,
)


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
