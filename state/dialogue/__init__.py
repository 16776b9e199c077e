"""Reading a conversation without a model: who gives way, who repeats, who has nothing left to say, who agrees."""
