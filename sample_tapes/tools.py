"""The tools of the agents on the sample tapes, answering as they answer today.

`get_policy` has a new policy on returns, so it no longer gives what `refund-recorded.jsonl` holds.
"""

from typing import Annotated, Literal

from amberfork_cli import ToolRegistry

registry = ToolRegistry()

# What stands beside a type is the description of the parameter, as models read it.
OrderId = Annotated[str, "Order number"]

WEATHER = {
    "Busan": ("light rain", 19),
    "Oslo": ("snow", -3),
    "Seoul": ("light rain", 17),
    "Tokyo": ("clear", 22),
}
PRICES = {"AAPL": 229.35, "MSFT": 418.07}
RETURNS = """\
Returns policy

Valid from 1 January 2026.

An item can be returned within 14 days of delivery, used or not. The refund goes to the original means of \
payment within 5 working days. Later than that an item can be exchanged for another of the same price, for \
as long as it works."""
ACCESSORIES = """\
Accessories policy

Valid from 1 September 2023.

Cables, cases and ear pads that came with an item stay with the customer when the item is returned or \
exchanged."""


@registry.tool
def getWeather(  # noqa: N802  (the agent calls it so)
    city: Annotated[str, "Name of the city, in English"],
) -> dict[str, object]:
    """The weather in a city at this moment."""
    conditions, temperature = WEATHER[city]
    return {"city": city, "conditions": conditions, "temperature_c": temperature}


@registry.tool
def getStock(  # noqa: N802
    ticker: Annotated[str, "Ticker symbol, such as NVDA"],
) -> dict[str, object]:
    """The last price of a share."""
    return {"ticker": ticker, "price": PRICES[ticker], "currency": "USD"}


@registry.tool
def lookup_order(order_id: Annotated[str, "Order number, such as LF-10001"]) -> dict[str, object]:
    """An order: what was bought, paid and when it was delivered."""
    return {
        "order_id": order_id,
        "customer_id": "cu_7731",
        "item": "Larkfield Mono headphones",
        "paid": {"amount": 129.0, "currency": "EUR"},
        "delivered_on": "2026-02-10",
    }


@registry.tool
def get_customer(customer_id: Annotated[str, "Customer number, such as cu_1001"]) -> dict[str, object]:
    """A customer: name, since when, how many returns."""
    return {
        "customer_id": customer_id,
        "name": "Ines Aldana",
        "since": "2021-06-14",
        "returns_last_year": 0,
    }


@registry.tool
def get_policy(topic: Annotated[Literal["returns", "accessories"], "What the policy is about"]) -> str:
    """The text of a policy of the shop."""
    return RETURNS if topic == "returns" else ACCESSORIES


@registry.tool(read_only=False)
def send_refund(
    order_id: OrderId,  # noqa: ARG001
    amount: Annotated[float, "How much"],  # noqa: ARG001
    currency: Annotated[str, "ISO code, such as EUR"],  # noqa: ARG001
) -> dict[str, object]:
    """Send money back to the means of payment of an order."""
    return {"refund_id": "rf_58213", "status": "sent"}


@registry.tool(read_only=False)
def offer_exchange(order_id: OrderId) -> dict[str, object]:  # noqa: ARG001
    """Send the customer a link to choose another item of the same price."""
    return {"exchange_id": "ex_40977", "status": "link sent"}


@registry.tool(read_only=False)
def add_note(order_id: OrderId, note: Annotated[str, "One sentence"]) -> dict[str, object]:  # noqa: ARG001
    """Write a note on an order, for colleagues."""
    return {"order_id": order_id, "notes": 1}
