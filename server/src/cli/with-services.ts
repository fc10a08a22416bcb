import { loadConfig } from '../config.ts';
import { connectDatabase, whileAlive } from '../database/connect.ts';
import { createLog } from '../log.ts';
import { createServices, type Services } from '../services.ts';

/** Runs a command on the database that the server uses; nothing runs by itself beside it. */
export const withServices = async <T>(run: (services: Services) => Promise<T>): Promise<T> => {
  const config = loadConfig(process.env);
  const database = await connectDatabase(config);
  try {
    const log = createLog(process.env.LOG_LEVEL === undefined ? 'warn' : config.LOG_LEVEL);
    const work = createServices(config, database.connection, database.secretKey, log).then(run);
    return await whileAlive(database, work);
  } finally {
    await database.close();
  }
};
