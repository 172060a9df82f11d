import { tell } from "./told";

tell("zh");
