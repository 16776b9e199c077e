from .answer import (
    RunAnswer as RunAnswer,
    append_unit as append_unit,
    compute_answer as compute_answer,
    compute_plurality as compute_plurality,
    format_number as format_number,
    group_numbers as group_numbers,
)
from .calibrated_stop import (
    ActiveStop as ActiveStop,
    CalibratedStop as CalibratedStop,
    StopSignal as StopSignal,
    compute_score as compute_score,
    extract_stop_settings as extract_stop_settings,
    get_decision as get_decision,
    list_differences as list_differences,
    replace_near_decisions as replace_near_decisions,
)
from .channels import (
    AnswerState as AnswerState,
    DeclareState as DeclareState,
    PositionRecordState as PositionRecordState,
    PositionsResult as PositionsResult,
    PositionsState as PositionsState,
)
from .position import (
    SYNTHESIZER as SYNTHESIZER,
    Position as Position,
    group_by_moment as group_by_moment,
    has_changed as has_changed,
    select_final_positions as select_final_positions,
)
from .settings import (
    POSITION_SIDES as POSITION_SIDES,
    AnswerFormat as AnswerFormat,
    NumberAnswer as NumberAnswer,
    PositionSettings as PositionSettings,
    build_answer_format as build_answer_format,
    count_blind_starters as count_blind_starters,
    count_initial_questions as count_initial_questions,
    list_asked_seats as list_asked_seats,
)
from .stopping_rules import (
    stop_on_calibration as stop_on_calibration,
    stop_on_declarations as stop_on_declarations,
)
