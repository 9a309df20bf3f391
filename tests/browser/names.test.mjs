// SPDX-License-Identifier: Apache-2.0
// Names in boxes are shortened as gate/report/shorten.c shortens them; the rows are those of tests/unit/test_shorten.c.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

const source = readFileSync(new URL("../../gate/report/assets/report_numbers.js", import.meta.url), "utf8");
const shorten = new Function("data", source + "\nreturn shorten;")({});

test("names lose their package first, then their end", () => {
  for (const [name, columns, text] of [
    ["encoding/json.Marshal", 40, "encoding/json.Marshal"],
    ["github.com/acme/shop/api.(*Server).Orders", 23, "…api.(*Server).Orders"],
    ["github.com/acme/shop/api.(*Server).Orders", 28, "…shop/api.(*Server).Orders"],
    ["com.acme.shop.orders.OrderService.place", 24, "…OrderService.place"],
    ["a::b<c::d>::long_function_name", 22, "…long_function_name"],
    ["a::b<c::d>::long_function_name", 12, "long_functi…"],
    ["main.normalizeRoute", 8, "normali…"],
    ["main.normalizeRoute", 3, "no…"],
    ["net/http.(*conn).serve", 8, "…serve"],
    ["averyveryverylongnamewithoutanyparts", 16, "averyveryverylo…"],
    ["main.(*shop).labelled.func1.2", 18, "…labelled.func1.2"],
    ["main.(*shop).labelled.func*", 10, "labelled.…"],
    ["app::orders::total::{{closure}}", 12, "total::{{cl…"],
    ["/srv/app/orders/totals.py:42", 12, "totals.py:4…"],
    ["server.js (anonymous)", 12, "server.js (…"],
    ["com.acme.Orders.place(int, java.lang.String)", 12, "place(int, …"],
  ])
    assert.equal(shorten(name, columns), text);
});
