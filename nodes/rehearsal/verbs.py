"""The verbs motions are made with, where their form does not show it; Spanish infinitives show by their ending."""

_ENGLISH = """
abandon abolish accept add admit adopt allow apply automate avoid back ban bar begin boycott break bring build buy
cancel cap carry change charge choose close collect compare consider continue control convert create criminalise
criminalize cut decriminalize deploy develop discourage divide do drop eliminate enable encourage end enforce
expand extend favor favour finance fire follow forbid force forgive found free fund get give go grant guarantee
halt have help hire host impose improve increase install introduce invest invite join keep launch lead learn lease
leave legalise legalize let license limit lower maintain make mandate merge migrate move nationalise nationalize
offer open organise organize own pause pay permit phase pilot plan plant prefer prepare privatise privatize
produce prohibit promote protect provide publish punish purchase put raise reach read rebuild recognise recognize
record reduce reform refuse regulate release remove rent repair repeal replace report require restrict return
reward rewrite run save scrap sell send separate set share shift shorten shrink simplify skip slow spend split
sponsor standardise standardize start stay stop store subsidise subsidize support switch take tax teach test trade
train treat try turn use vaccinate vote wait welcome withdraw work write
"""
_DOUBLED = """
ban bar begin cancel cap cut drop forget get let permit plan put run scrap set shrink shut skip split stop swap
"""
_FUNCTION_WORDS = """
about above across after against all along also am among and are around as at be because before behind below beneath
beside between beyond both but by can could despite did do does down during even ever everybody everyone except first
for from had half has have he how i if in inside into is it just like many may might must near nobody not of off on
once only onto or ought out outside over past people per quite rather shall she should since so still such than that
them then they though through throughout till to toward under unless unlike until up upon us versus via was we were
what when where whether which while who whom whose why will with within without would yet you
"""
_DETERMINERS = "a an each every its my our the their these this those your"
_CHINESE = """
禁止 取消 允许 采用 全面改为 改为 纳入 加装 迁移到 进入 限制 增加 减少 提高 降低 废除
推行 实行 建立 开放 使用 购买 租用 支持 保留 恢复 统一 改革 加强 扩大 缩短 延长 征收
收取 安装 引进 引入 发展 建设 拆除 搬迁 转为 放弃 选择 拥有 带 写
"""
_NOT_SPANISH = "ayer bar deber escolar hogar lugar mar militar mujer poder solar taller"

ENGLISH = frozenset(_ENGLISH.split())
DOUBLED = frozenset(_DOUBLED.split())
"""English verbs whose last letter is doubled before -ing."""
CHINESE = frozenset(_CHINESE.split())
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())
"""English words that can stand before a determiner and are no verbs to ask for something with."""
DETERMINERS = frozenset(_DETERMINERS.split())
NOT_SPANISH = frozenset(_NOT_SPANISH.split())
"""Spanish words that end like an infinitive and are none."""
