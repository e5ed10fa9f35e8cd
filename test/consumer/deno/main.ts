/** `deno run main.ts JOBS`: does one job after the other, and prints as JSON what each gave or threw. */
import { jobs } from '../jobs.ts';

declare const Deno: { readonly args: readonly string[] };

const answers: ({ readonly value: unknown } | { readonly error: string })[] = [];
for (const [name, args] of JSON.parse(Deno.args[0]!)) {
  try {
    answers.push({ value: await jobs[name as 'tree'](args) });
  } catch (error) {
    answers.push({ error: String(error) });
  }
}
console.log(JSON.stringify(answers));
