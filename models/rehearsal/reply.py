"""Text of a rehearsed reply, depending on the purpose of the call."""

from . import justice, panel, summary, views
from .scene import Scene
from .speech import write_opening, write_statement


def write_reply(scene: Scene) -> str:
    """Write the text for the purpose of the call.

    Without a brief, say that this is a rehearsal, and argue about the message.
    """
    brief, is_justice = scene.brief, scene.is_about_justice
    match brief.purpose:
        case "synthesis":
            return panel.write_conclusion(scene) if brief.exhibits else summary.write_synthesis(scene)
        case "summary":
            return summary.write_summary(scene)
        case "memory" if is_justice:
            # Add a lesson, and cut the oldest text to the number of characters that the task allows.
            lines, lesson = brief.memory.splitlines()[-20:], justice.write_lesson(scene)
            limit = int(str(brief.values.get("bound", "4,000")).replace(",", ""))
            return "\n".join(lines if lesson in lines else [*lines, lesson])[-limit:]
        case "reasoning" if is_justice:
            return justice.write_lesson(scene, has_others=True)
        case "comprehension":
            return str(brief.values.get("answer", "D1"))
        case "initiation" | "confirmation" | "ballot" | "amount" | "ranking" | "choice" | "explanation" if is_justice:
            return justice.answer_in_text(scene)
    if brief.exhibits:
        statement = panel.write_panel_statement(scene)
    elif is_justice:
        statement = justice.write_justice_statement(scene)
    elif brief.roles:
        statement = write_statement(scene)
    else:
        greeting = scene.fill_phrase("answers", "greeting")
        statement = f"{greeting}{scene.gap}{write_opening(scene)}" if brief.topic else greeting
    return " ".join(filter(None, [statement, views.write_private_notes(scene)]))
