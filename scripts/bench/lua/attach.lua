-- Attaches purchases that nobody has attached before, each to a user who has not been seen before; with "again" the same over and over.
package.path = (os.getenv("BENCH_LUA") or ".") .. "/?.lua;" .. package.path
local requests = require("requests")

setup = requests.setup
done = function(summary, latency) requests.report(summary, latency) end

function init(arguments)
  requests.read(arguments[1])
  requests.again = arguments[2] == "again"
end

function request()
  local token, rest = requests.next_once():match("^([^\t]+)\t(.+)$")
  return requests.post("/api/iap/apple/transactions/attach", token,
    '{"signedTransactionJWS":"' .. requests.header .. "." .. rest .. '"}')
end
