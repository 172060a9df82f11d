import { testStories } from "./testStories";

testStories("zh");
