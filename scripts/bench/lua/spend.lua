-- Spends one credit of one prepared user after the other, each under a key of its own.
package.path = (os.getenv("BENCH_LUA") or ".") .. "/?.lua;" .. package.path
local requests = require("requests")

setup = requests.setup
done = function(summary, latency) requests.report(summary, latency) end

local body = '{"amount":1,"reference":"bench"}'
local prepared = {}
local run

function init(arguments)
  requests.read(arguments[1])
  run = arguments[2]
  for index, line in ipairs(requests.lines) do
    prepared[index] = "POST /api/credits/credit/spend HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
      .. line:match("^[^\t]+") .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body
      .. "\r\nIdempotency-Key: "
  end
end

local cursor = 0

function request()
  cursor = cursor + 1
  return prepared[(cursor - 1) % #prepared + 1] .. run .. "-" .. cursor .. "\r\n\r\n" .. body
end
