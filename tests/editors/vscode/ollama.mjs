// The stand-in for Ollama, as a process of its own.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = path.join(import.meta.dirname, '../../..');

export class Ollama {
  asked = [];

  /** `asked` grows by the model's name at each request for text. */
  async start() {
    this.process = spawn(process.env.PYTHON, ['-m', 'tests.ollama_process'], { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface(this.process.stdout);
    this.host = await new Promise(resolve => lines.once('line', resolve));
    lines.on('line', model => this.asked.push(model));
  }

  stop() {
    this.process?.kill();
  }
}
