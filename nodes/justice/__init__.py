"""Steps of the justice experiment."""
