-- Restores lists of purchases that nobody has attached before, each list for a user who has not been seen before.
package.path = (os.getenv("BENCH_LUA") or ".") .. "/?.lua;" .. package.path
local requests = require("requests")

setup = requests.setup
done = function(summary, latency) requests.report(summary, latency) end

function init(arguments)
  requests.read(arguments[1])
  requests.again = arguments[2] == "again"
end

function request()
  local line = requests.next_once()
  local token = line:match("^[^\t]+")
  local items = {}
  for rest in line:gmatch("\t([^\t]+)") do items[#items + 1] = '"' .. requests.header .. "." .. rest .. '"' end
  return requests.post("/api/iap/apple/restore", token, '{"signedTransactions":[' .. table.concat(items, ",") .. "]}")
end
