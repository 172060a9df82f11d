import { tell } from "./told";

tell("en");
