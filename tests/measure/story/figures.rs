pub fn print(said: &str) { println!("{said}"); }
