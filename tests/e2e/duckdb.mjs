// duckdb.mjs FOLDER QUERY: asks the DuckDB that npm put into FOLDER; the answer as CSV.
import { createRequire } from "node:module";
const { DuckDBInstance } = createRequire(process.argv[2] + "/")("@duckdb/node-api");
const connection = await (await DuckDBInstance.create(":memory:")).connect();
const reader = await connection.runAndReadAll(process.argv[3]);
const cell = (v) => v === null ? "" : `"${String(v).replaceAll('"', '""')}"`;
for (const row of [reader.columnNames(), ...reader.getRows()]) console.log(row.map(cell).join(","));
