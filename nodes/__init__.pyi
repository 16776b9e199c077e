from .initial_state import MATERIAL_LIMIT as MATERIAL_LIMIT, check_models as check_models, check_text as check_text
from .statement import parse_act as parse_act
