from .app.agent.deliberation import Deliberation as Deliberation, agent as agent
from .app.agent.result import Result as Result
from .app.council_api import acouncil as acouncil, council as council
from .app.protocols.panel.chat_api import achat_with_papers as achat_with_papers, chat_with_papers as chat_with_papers
from .app.saved.saved_run import load_run as load_run
from .app.session.opening import aopen_session as aopen_session, open_session as open_session
from .models import NoAnswerError as NoAnswerError, RunStoppedError as RunStoppedError
from .prompts import load_profiles as load_profiles
from .state import InputError as InputError

__version__: str
