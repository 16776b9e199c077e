"""What Spanish speakers say when they object, repeat themselves or have done with it (no accents)."""

from .lexicon import Talking

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
