# SPDX-License-Identifier: Apache-2.0
# A program that stackprof records. Usage: shop.rb MODE INTERVAL RAW FILE ROUNDS
require 'stackprof'

def price(order, depth)
  return (1..(order % 700 + 300)).map { |i| i * i }.sum if depth.zero?

  price(order, depth - 1) + 1
end

def encode_reply(order)
  "order #{order}: #{price(order, 6)}" * 3
end

mode, interval, raw, file, rounds = ARGV
StackProf.run(mode: mode.to_sym, interval: interval.to_i, raw: raw == 'raw', out: file) do
  rounds.to_i.times { |order| encode_reply(order) }
end
