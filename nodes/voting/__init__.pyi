from .announcement import announce_to_all as announce_to_all
from .routes import VoteRouteState as VoteRouteState
