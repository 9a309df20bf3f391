// SPDX-License-Identifier: Apache-2.0
// Bundles and minifies src/main.js twice, each with its source map: bundle.mjs OUT-DIR
import path from 'node:path'
import esbuild from 'esbuild'
import webpack from 'webpack'

const out = path.resolve(process.argv[2])

await esbuild.build({
  entryPoints: ['src/main.js'],
  outfile: path.join(out, 'esbuild', 'shop.js'),
  bundle: true,
  minify: true,
  sourcemap: true,
  platform: 'node',
  format: 'cjs',
})

const stats = await new Promise((resolve, reject) =>
  webpack(
    {
      mode: 'production',
      target: 'node',
      devtool: 'source-map',
      entry: './src/main.js',
      output: { path: path.join(out, 'webpack'), filename: 'shop.js' },
    },
    (error, stats) => (error ? reject(error) : resolve(stats)),
  ),
)
if (stats.hasErrors()) throw new Error(stats.toString())
