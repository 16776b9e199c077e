"""What Spanish speakers say when they give way or go along (no accents)."""

from .lexicon import Yielding

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
