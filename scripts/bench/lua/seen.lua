-- Says of one device of one prepared user after the other that it was seen.
package.path = (os.getenv("BENCH_LUA") or ".") .. "/?.lua;" .. package.path
local requests = require("requests")

setup = requests.setup
done = function(summary, latency) requests.report(summary, latency) end

local prepared = {}

function init(arguments)
  requests.read(arguments[1])
  for index, line in ipairs(requests.lines) do
    prepared[index] = "POST /api/devices/phone/seen HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
      .. line:match("^[^\t]+") .. "\r\nContent-Length: 0\r\n\r\n"
  end
end

local cursor = 0

function request()
  cursor = cursor % #prepared + 1
  return prepared[cursor]
end
